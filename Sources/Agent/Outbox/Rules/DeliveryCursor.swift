import Core

/// How far delivery has come on the present connection, and what it passes over.
struct DeliveryCursor {
    /// Positions that are not handed out: they were already, are acknowledged or set aside.
    private var passed = RangeSet<Position>()
    private(set) var parked = ParkedEvents()

    /// Where the run of positions ends that are not handed out, if `position` is one of them.
    func endOfPassed(containing position: Position) -> Position? {
        // Ranges are few: what is handed out runs in order.
        passed.ranges.first { $0.contains(position) }?.upperBound
    }

    mutating func handedOut(_ position: Position) { passed.insert(position) }

    mutating func acknowledged(_ position: Position) {
        if !parked.entries.isEmpty { parked.remove(position: position) }
        if !passed.contains(position) { passed.insert(position) }
    }

    /// Sets an event aside; returns the one that is given up for it.
    mutating func park(_ entry: ParkedEvents.Entry) -> ParkedEvents.Entry? {
        passed.insert(entry.position)
        return parked.add(entry)
    }

    /// Begins anew with the oldest that is neither acknowledged nor set aside.
    mutating func rewind(acknowledged: RangeSet<Position>) {
        passed = acknowledged
        for entry in parked.entries { passed.insert(entry.position) }
    }
}

/// Events that the broker refuses, set aside so that they do not hold up the others. They stay in the outbox and are
/// offered again after a restart.
struct ParkedEvents: Hashable {
    /// Beyond this many the oldest is given up.
    static let capacity = 1_000

    package struct Entry: Hashable {
        var position: Position
        var number: MessageNumber
    }

    private(set) var entries: [Entry] = []

    /// Sets an event aside; returns the one that is given up for it.
    mutating func add(_ entry: Entry) -> Entry? {
        guard !entries.contains(where: { $0.position == entry.position }) else { return nil }
        entries.append(entry)
        return entries.count > Self.capacity ? entries.removeFirst() : nil
    }

    mutating func remove(position: Position) { entries.removeAll { $0.position == position } }
}
