import Core

/// The outbox's own figures, beside its content. A transaction works on a copy, which takes effect once the file has
/// it.
struct Bookkeeping {
    /// The numbers of an epoch that may wait, in the file or in memory: from those of `settled` on, up to those of `end`.
    private struct StoredEpoch {
        var settled: Numbering
        var end: Numbering

        /// The most that are remembered. Each is begun by a failure of the disk.
        static let most = 16
    }

    private(set) var numbering: Numbering
    /// True if the file holds this epoch, so that a restart would continue it.
    private(set) var isEpochStored = false
    /// Numbers of this epoch below these are reserved, and may be given in memory. 0 where none are.
    private var reservedEnds = SeriesNumbers(0)
    /// The ends of the last reservations that the file has settled.
    private var settledReservations = SeriesNumbers(0)
    private var nextPosition = Position.first
    private(set) var origin = PositionOrigin.none
    /// Events below this position are in the file, unless they have left the outbox.
    private(set) var storedEnd = Position.first
    /// Events in the file, including acknowledged ones that are not deleted yet.
    private(set) var storedEvents: Int64 = 0
    /// Positions in the file that are acknowledged and not deleted yet.
    private(set) var acknowledged = RangeSet<Position>()
    /// Positions of events that were acknowledged, dropped or lost. A late acknowledgement of one changes nothing.
    private(set) var left = RangeSet<Position>()
    /// Every number of the epoch below these was acknowledged or reported as a gap.
    private var settled: Numbering
    /// The numbering that the file has; `nil` where it has none of this process.
    private var storedNumbering: Numbering?
    /// The earlier epochs whose messages may wait in the file, the oldest first.
    private var formerEpochs: [StoredEpoch] = []
    /// The losses that subscribers do not know yet.
    var gaps = GapLedger()
    /// Events below this position belong to a former owner.
    private(set) var formerEnd = Position.beforeAll
    private(set) var owners = EpochOwners()
    /// True if the file does not name its owner yet.
    private(set) var areOwnersChanged = true
    private(set) var dropped: [OutboxGap.Cause: Int64] = [:]

    init(epoch: String) {
        numbering = Numbering(epoch: epoch)
        settled = numbering
    }

    /// The number of positions that wait for their deletion in the file.
    var acknowledgedCount: Int64 { acknowledged.count }

    /// Events in the file that no broker has acknowledged.
    var waitingEvents: Int64 { max(storedEvents - acknowledgedCount, 0) }

    /// True while the file lacks something of these figures, apart from what is acknowledged.
    var isUnwritten: Bool { gaps.isChanged || areOwnersChanged || !isEpochStored }

    // MARK: Numbers

    /// Begins a new epoch, which the file does not know yet.
    mutating func begin(epoch: String) {
        // Numbers that are in memory alone may reach the file later.
        if numbering != settled {
            formerEpochs.append(StoredEpoch(settled: settled, end: numbering))
            if formerEpochs.count > StoredEpoch.most { formerEpochs.removeFirst() }
        }
        numbering = Numbering(epoch: epoch)
        isEpochStored = false
        reservedEnds = SeriesNumbers(0)
        settledReservations = SeriesNumbers(0)
        settled = numbering
    }

    /// Throws where the messages of `transaction` are not numbered from the next numbers on without a gap.
    func check(_ transaction: OutboxTransaction) throws(OutboxError) {
        var expected = numbering
        for number in transaction.messages.lazy.map(\.number) {
            let next = expected[number.series]
            guard number.seq == next else { throw .misnumbered(expected: next, found: number.seq) }
            expected.goOn(after: number)
        }
    }

    /// Gives `messages` their positions, and advances the numbering.
    mutating func position(_ messages: [NumberedMessage]) -> [QueuedMessage] {
        var queued: [QueuedMessage] = []
        queued.reserveCapacity(messages.count)
        for message in messages {
            queued.append(QueuedMessage(position: nextPosition, message: message))
            nextPosition = nextPosition.next
            numbering.goOn(after: message.number)
        }
        return queued
    }

    /// Makes sure that no restart repeats numbers that `transaction` is given in memory. Returns `false` where only a
    /// new epoch can do that.
    mutating func reserve(for transaction: OutboxTransaction, in folder: (any OutboxFolder)?) -> Bool {
        // The file knows nothing of an epoch that began in memory, so no restart continues it.
        guard let folder, isEpochStored else { return true }
        var counts = SeriesNumbers(0)
        for message in transaction.messages { counts[message.number.series] += 1 }
        counts[.events] += transaction.lostEvents
        var ends = reservedEnds
        for series in NumberSeries.allCases where counts[series] > 0 {
            let end = numbering.number(of: series, after: counts[series]).seq
            if end > ends[series] { ends[series] = end.addingSaturating(Reservation.block) }
        }
        if ends == reservedEnds { return true }
        guard folder.reserve(Reservation(epoch: numbering.epoch, ends: ends)) else { return false }
        reservedEnds = ends
        return true
    }

    // MARK: Losses

    /// Reports the loss of events that left the outbox to make room, in order.
    mutating func drop(_ victims: some Sequence<(position: Position, number: MessageNumber)>, cause: OutboxGap.Cause) {
        for victim in victims {
            left.insert(victim.position)
            drop(victim.number, cause: cause)
        }
    }

    /// Reports the loss of an event.
    mutating func drop(_ number: MessageNumber, cause: OutboxGap.Cause) {
        dropped[cause, default: 0] += 1
        gaps.add(OutboxGap(epoch: number.epoch, series: number.series, NumberRun(number.seq), cause: cause))
    }

    /// Numbers events that are already lost.
    mutating func lose(_ count: Int64) {
        guard let lost = numbering.give(count, of: .events) else { return }
        gaps.add(OutboxGap(epoch: numbering.epoch, lost, cause: .disk))
    }

    /// True if the file had something of this process, or events of an earlier one.
    var hasStored: Bool { storedNumbering != nil || storedEvents > 0 }

    private var storedEpochs: [StoredEpoch] {
        guard isEpochStored, let storedNumbering else { return formerEpochs }
        return formerEpochs + [StoredEpoch(settled: settled, end: storedNumbering)]
    }

    /// Reports as gaps the unsettled numbers that were in the file, except those of `events`, which are in memory.
    mutating func loseStoredEvents(except events: [QueuedMessage], cause: OutboxGap.Cause) {
        for epoch in storedEpochs { lose(epoch, except: events, cause: cause) }
        let epochs = Set(events.map(\.number.epoch))
        formerEpochs.removeAll { !epochs.contains($0.end.epoch) }
    }

    private mutating func lose(_ stored: StoredEpoch, except events: [QueuedMessage], cause: OutboxGap.Cause) {
        for series in NumberSeries.allCases {
            lose(
                NumberRun(stored.settled[series], before: stored.end[series]), of: series, in: stored.end.epoch,
                except: events, cause: cause)
        }
    }

    /// Returns the positions that a file lacks although it had confirmed them; `nil` where it lacks none.
    func undone(_ meta: EventStore.Meta) -> Range<Position>? {
        let end = origin.position(inFile: meta.nextPosition)
        return hasStored && end < storedEnd ? end..<storedEnd : nil
    }

    /// Records that the disk has undone the last transactions of the file. Their numbers are reported as a gap, unless
    /// each of their events is in memory or has left the outbox.
    ///
    /// - Parameters:
    ///   - undone: the positions of their events.
    ///   - meta: the figures that the file has now.
    ///   - events: the events in memory, which wait there.
    mutating func loseEnd(
        of undone: Range<Position>, from meta: EventStore.Meta, except events: [QueuedMessage]
    ) {
        var lost = RangeSet([undone]).subtracting(left)
        for event in events { lost.remove(event.position) }
        // The epochs after the one in which the file ends now are lost as a whole; of that one, the numbers from the
        // file's on.
        let epochs = storedEpochs
        let last = epochs.lastIndex { $0.end.epoch == meta.numbering.epoch } ?? 0
        for var missing in lost.isEmpty ? [] : epochs[last...] {
            if missing.end.epoch == meta.numbering.epoch {
                for series in NumberSeries.allCases {
                    missing.settled[series] = max(missing.settled[series], meta.numbering[series])
                }
            }
            lose(missing, except: events, cause: .disk)
        }
        isEpochStored = isEpochStored && meta.numbering.epoch == numbering.epoch
        storedNumbering = meta.numbering
        acknowledged.remove(contentsOf: undone)
        left.insert(contentsOf: undone)
        for event in events { left.remove(event.position) }
        storedEnd = undone.lowerBound
    }

    /// Reports as gaps the numbers that a damaged file lacks, at the first meeting. Only the file itself tells of its
    /// numbers.
    mutating func loseNumbers(of salvage: Salvage, except events: [QueuedMessage]) {
        guard let epoch = salvage.numbering?.epoch ?? events.last?.number.epoch else { return }
        for series in NumberSeries.allCases {
            let found = events.numbers(of: series, in: epoch)
            let end = max(salvage.numbering?[series] ?? 1, found.last.map { NumberRun($0).end } ?? 1)
            lose(NumberRun(found.first ?? 1, before: end), of: series, in: epoch, except: events, cause: .corrupt)
        }
    }

    private mutating func lose(
        _ numbers: NumberRun?, of series: NumberSeries, in epoch: String, except events: [QueuedMessage],
        cause: OutboxGap.Cause
    ) {
        for missing in numbers?.missing(from: events.numbers(of: series, in: epoch)) ?? [] {
            gaps.add(OutboxGap(epoch: epoch, series: series, missing, cause: cause))
        }
    }

    // MARK: Delivery

    /// True for a position that an event of this outbox may have.
    func isKnown(_ position: Position) -> Bool { position > origin.beforeFile && position < nextPosition }

    /// True for an event that was acknowledged, dropped or lost.
    func hasLeft(_ position: Position) -> Bool { left.contains(position) }

    /// Records that an event has left the outbox. Its row in the file may be deleted.
    mutating func acknowledge(_ position: Position) {
        guard !left.contains(position) else { return }
        left.insert(position)
        if position < storedEnd { acknowledged.insert(position) }
    }

    /// Marks every number as settled; for an outbox where no event waits.
    mutating func settle() { (settled, formerEpochs) = (numbering, []) }

    // MARK: The file

    /// Records the content of a file that an earlier process has left.
    mutating func find(events: Int64, gaps found: [OutboxGap], _ meta: EventStore.Meta) {
        storedEvents = events
        gaps = GapLedger(found + gaps.gaps)
        gaps.isChanged = true
        origin = PositionOrigin(nextInFile: meta.nextPosition)
    }

    /// Goes on in the file's epoch.
    ///
    /// - Parameter oldest: the first event in the file.
    mutating func goOn(from meta: EventStore.Meta, oldest: MessageNumber?) {
        begin(epoch: meta.numbering.epoch)
        numbering = meta.numbering
        (isEpochStored, storedNumbering) = (true, meta.numbering)
        settledReservations = meta.settledReservations
        if let oldest, oldest.epoch == meta.numbering.epoch { settled[oldest.series] = oldest.seq }
    }

    /// Skips the numbers that an earlier process gave in memory before it died.
    mutating func skip(_ reservation: Reservation, of meta: EventStore.Meta) {
        let stored = meta.numbering
        guard reservation.epoch == stored.epoch else { return }
        for series in NumberSeries.allCases {
            let end = reservation.ends[series]
            guard end > meta.settledReservations[series], let lost = NumberRun(stored[series], before: end) else {
                continue
            }
            gaps.add(OutboxGap(epoch: stored.epoch, series: series, lost, cause: .disk))
            if numbering.epoch == stored.epoch {
                numbering[series] = end
                reservedEnds[series] = end
            }
        }
    }

    /// Takes over the owners of a file. Where another one left it, all that it holds is a former owner's.
    ///
    /// - Returns: the owner that left it, if that is another one.
    mutating func inherit(_ inheritance: Inheritance, by owner: (any OutboxOwner)?) -> String? {
        guard let owner else { return nil }
        let stored = inheritance.values.first { $0.key == EpochOwners.key }
            .map { String(decoding: $0.value, as: UTF8.self) }
        owners = EpochOwners(inheritance.values)
        owners.remove(allBut: inheritance.epochs)
        let named = stored ?? inheritance.topics.compactMap(owner.owner).first { $0 != owner.name }
        let former = named == owner.name ? nil : named
        if let former {
            owners.leave(inheritance.epochs, by: former)
            formerEnd = .first
        }
        areOwnersChanged = stored != owner.name || owners != EpochOwners(inheritance.values)
        return former
    }

    mutating func endFormer(at end: Position) { formerEnd = end }

    /// Takes over the positions of a damaged file, at the first meeting.
    mutating func adopt(_ origin: PositionOrigin) { self.origin = origin }

    /// Records that the file is gone, and its events with it, except those that `saved` has in memory.
    mutating func resetFile(saved: [QueuedMessage] = []) {
        (isEpochStored, storedNumbering) = (false, nil)
        left.insert(contentsOf: .beforeAll..<storedEnd)
        for event in saved { left.remove(event.position) }
        storedEnd = saved.first?.position ?? storedEnd
        storedEvents = 0
        acknowledged = RangeSet()
        gaps.isChanged = true
        areOwnersChanged = true
    }

    /// Records the number of events in a file that was opened again, without those that have left the outbox. The disk
    /// may have undone the rest of what it had confirmed, so gaps and owners are written again.
    mutating func recount(_ events: Int64) {
        (storedEvents, acknowledged) = (events, RangeSet())
        (gaps.isChanged, areOwnersChanged) = (true, true)
    }

    /// Settles all reservations, and returns the row for the file.
    mutating func meta() -> EventStore.Meta {
        settledReservations = settledReservations.maximum(reservedEnds)
        reservedEnds = SeriesNumbers(0)
        return EventStore.Meta(
            numbering: numbering, nextPosition: origin.numberInFile(nextPosition),
            settledReservations: settledReservations)
    }

    mutating func deleted(_ count: Int64) { storedEvents -= count }

    /// Records that the file holds everything, `count` events more than before.
    mutating func stored(_ count: Int64) {
        storedEvents += count
        acknowledged = RangeSet()
        gaps.isChanged = false
        areOwnersChanged = false
        (isEpochStored, storedNumbering) = (true, numbering)
        storedEnd = nextPosition
    }

    // MARK: Invariants

    /// The broken rules among those that hold between two calls of the outbox, a sentence for each.
    func checkInvariants(_ pending: PendingChanges) -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ sentence: @autoclosure () -> String) { if !holds { broken.append(sentence()) } }
        check(settled.epoch == numbering.epoch, "numbers of \(settled.epoch) are settled in \(numbering.epoch)")
        for series in NumberSeries.allCases {
            check(settled[series] <= numbering[series], "numbers of \(series) are settled before they are given")
            check(
                !isEpochStored || reservedEnds[series] == 0 || numbering[series] <= reservedEnds[series],
                "numbers of \(series) are given beyond their reservation")
        }
        check(!isEpochStored || storedNumbering?.epoch == numbering.epoch, "the file has another epoch than is known")
        check(formerEpochs.count <= StoredEpoch.most, "\(formerEpochs.count) former epochs are kept")
        check(storedEnd <= nextPosition, "the file ends after the last event")
        check(acknowledgedCount <= storedEvents, "more events are acknowledged than stored")
        check(acknowledged.ranges.last.map { $0.upperBound <= storedEnd } ?? true, "an event in memory is acknowledged")
        check(acknowledged.isSubset(of: left), "an acknowledged event has not left the outbox")
        check(!pending.events.contains { left.contains($0.position) }, "an event in memory has left the outbox")
        check(gaps.gaps.count <= GapLedger.capacity, "\(gaps.gaps.count) gaps are kept")
        check(pending.events.first.map { $0.position >= storedEnd } ?? true, "an event is in the file and in memory")
        check(pending.events.last.map { $0.position < nextPosition } ?? true, "an event has no position yet")
        return broken + pending.checkInvariants()
    }
}

/// Maps each older epoch with unsent events or gaps to the gateway that owned it.
struct EpochOwners: Hashable {
    /// The key under which a file names its owner.
    static let key = "owner"
    private static let prefix = key + "/"

    private var former: [String: String] = [:]

    init() {}

    init(_ values: [OutboxRecord]) {
        for value in values where value.key.utf8.starts(with: Self.prefix.utf8) {
            former[String(value.key.dropFirst(Self.prefix.count))] = String(decoding: value.value, as: UTF8.self)
        }
    }

    var values: [OutboxRecord] {
        former.sorted { $0.key < $1.key }.map { OutboxRecord(key: Self.prefix + $0.key, value: Array($0.value.utf8)) }
    }

    /// Returns whether a value names an owner.
    static func isTheirs(_ key: String) -> Bool { key == Self.key || key.utf8.starts(with: prefix.utf8) }

    var isEmpty: Bool { former.isEmpty }

    var epochs: Set<String> { Set(former.keys) }

    /// The former owner of an epoch; `nil` where no other owner is known.
    func owner(of epoch: String) -> String? { former[epoch] }

    /// The end of the former owners' events among `events`, which are in order.
    func end(of events: [QueuedMessage]) -> Position {
        events.last { former[$0.number.epoch] != nil }?.position.next ?? .beforeAll
    }

    /// Assigns these epochs to `owner`, except those that an earlier owner had already left.
    mutating func leave(_ epochs: Set<String>, by owner: String) {
        for epoch in epochs where former[epoch] == nil { former[epoch] = owner }
    }

    /// Removes every other epoch, of which nothing is left.
    mutating func remove(allBut epochs: Set<String>) { former = former.filter { epochs.contains($0.key) } }
}

/// The content of a file that tells its owner.
struct Inheritance {
    var values: [OutboxRecord]
    /// Topics of the oldest and the newest event of a damaged file.
    var topics: [String] = []
    /// The epochs of events, gaps or numbers that are left; none where the values name no other owner.
    var epochs: Set<String> = []
}

extension [QueuedMessage] {
    /// The numbers of one series in an epoch, in order.
    fileprivate func numbers(of series: NumberSeries, in epoch: String) -> [Int64] {
        lazy.map(\.number).filter { $0.epoch == epoch && $0.series == series }.map(\.seq)
    }
}
