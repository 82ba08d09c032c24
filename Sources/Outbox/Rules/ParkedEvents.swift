/// Events that the broker refuses, set aside so that they do not hold up the others. They stay in the outbox and are
/// offered again when asked for and after a restart.
struct ParkedEvents: Hashable {
    /// Beyond this many the oldest is given up.
    static let capacity = 1_000

    struct Entry: Hashable {
        var position: Int64
        var number: MessageNumber
        var reason: String
    }

    private(set) var entries: [Entry] = []

    /// Sets an event aside; returns the one that is given up for it.
    mutating func add(_ entry: Entry) -> Entry? {
        guard !entries.contains(where: { $0.position == entry.position }) else { return nil }
        entries.append(entry)
        return entries.count > Self.capacity ? entries.removeFirst() : nil
    }

    mutating func removeAll() { entries = [] }

    mutating func remove(position: Int64) { entries.removeAll { $0.position == position } }
}
