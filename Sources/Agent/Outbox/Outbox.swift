import Core

/// The store of events that wait for the broker's acknowledgement, and of the region states that they changed.
///
/// One thread owns it. It blocks only on its disk, and never fails because of it. While the disk refuses, the outbox
/// works in memory, within its limits, and retries in `tick`. Once the disk works again, it writes what it kept, in
/// order. `condition` holds the present fault, `takeReports` one line for each cause.
///
/// The delivery loop uses it like this:
/// - `commit` the engine's messages.
/// - Send what `next` returns, and `acknowledge` each event whose PUBACK reports success.
/// - Publish what `takeGaps` returns, and `confirm` it.
/// - `tick` about once a second.
package final class Outbox {
    let disk: OutboxDisk
    /// `nil` where the owner does not matter.
    private let owner: (any OutboxOwner)?
    private var generator: any RandomNumberGenerator
    private var wallTime: WallTime

    private(set) var bookkeeping: Bookkeeping
    private(set) var pending = PendingChanges()
    private var cursor = DeliveryCursor()
    /// The records that the file held at the start, kept until time passes. A caller that continues the file's epoch
    /// continues from these records, even if the disk fails again before it asks.
    private var recordsAtStart: [OutboxRecord] = []
    /// The latest time at which acknowledged events are deleted from the file.
    private var deletionDue = Instant.distantFuture

    /// The number of times that a file was made anew in this process, because the former one was damaged or gone. When
    /// it grows, callers commit every record again: the old file's records may be lost.
    var fileGeneration = 0

    /// Creates an outbox in memory, for a replay without a state folder.
    ///
    /// - Parameters:
    ///   - wallTime: the beginning of the outbox, which is part of the epoch's name.
    ///   - generator: the rest of the epoch's name; a seeded one makes a replay repeatable.
    package convenience init(
        limits: OutboxLimits, at now: Instant, wallTime: WallTime,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.init(OutboxDisk(nil, vfs: nil, limits, at: now), owner: nil, wallTime, generator)
    }

    /// Creates an outbox in `directory` that continues the last process's. Where the disk refuses, the outbox begins in
    /// memory and reports that in `condition`.
    ///
    /// - Parameter owner: the owner; a new epoch begins where the former owner was another.
    /// - Throws: `OutboxError.inUse` where another process holds the directory.
    package convenience init(
        directory: String, owner: (any OutboxOwner)? = nil, limits: OutboxLimits, at now: Instant, wallTime: WallTime,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(OutboxError) {
        try self.init(
            folder: StateFolder(path: directory, holder: owner?.name ?? ""), vfs: nil, owner: owner, limits: limits,
            at: now, wallTime: wallTime, generator: generator)
    }

    /// Creates an outbox in a folder that need not be on this machine's disk, through SQLite's file layer of the name
    /// `vfs`.
    convenience init(
        folder: any OutboxFolder, vfs: String?, owner: (any OutboxOwner)? = nil, limits: OutboxLimits, at now: Instant,
        wallTime: WallTime, generator: any RandomNumberGenerator
    ) throws(OutboxError) {
        self.init(OutboxDisk(folder, vfs: vfs, limits, at: now), owner: owner, wallTime, generator)
        do {
            try disk.hold()
        } catch {
            if error.source == .inUse { throw .inUse(directory: folder.path) }
            disk.started()
            fail(error)
            return
        }
        recover()
        disk.started()
    }

    private init(
        _ disk: OutboxDisk, owner: (any OutboxOwner)?, _ wallTime: WallTime, _ generator: any RandomNumberGenerator
    ) {
        (self.disk, self.owner, self.wallTime, self.generator) = (disk, owner, wallTime, generator)
        bookkeeping = Bookkeeping(epoch: EpochName.make(at: wallTime, using: &self.generator))
    }

    // MARK: Questions

    /// The current epoch, and the number of the next message of each series. Both may change in `tick` and, where the
    /// disk fails, in `commit`; `status` names the epoch.
    package var numbering: Numbering { bookkeeping.numbering }

    package var now: Instant { disk.now }

    /// True if commits reach the disk now.
    var isDurable: Bool { disk.mode.isWorking }

    /// The fault that keeps the outbox from its disk; `nil` where the disk works.
    package var condition: OutboxCondition? { disk.mode.fault?.condition }

    /// The open file, also while it is read-only.
    package var store: EventStore? { disk.mode.file }

    /// Returns whether messages of a series can be numbered now. Some series wait for a failing disk, because a restart
    /// would repeat their numbers.
    func canNumber(_ series: NumberSeries) -> Bool { disk.folder == nil || isDurable || !series.needsDisk }

    /// The former owner that a gap's epoch belongs to; `nil` for this owner.
    func formerOwner(ofEpoch epoch: String) -> String? { bookkeeping.owners.owner(of: epoch) }

    /// True if events or gaps of a former owner may be left.
    var hasFormerOwner: Bool { bookkeeping.formerEnd > .beforeAll || !bookkeeping.owners.isEmpty }

    /// Log lines: each fault once until the disk works again, and then its recovery.
    package func takeReports() -> [String] { disk.takeReports() }

    package var health: OutboxHealth {
        OutboxHealth(
            queuedEvents: bookkeeping.waitingEvents + Int64(pending.events.count),
            eventsInMemory: Int64(pending.events.count), queuedBytes: pending.bytes + disk.wear.usedBytes,
            parkedEvents: cursor.parkedCount, droppedEvents: bookkeeping.dropped, condition: condition,
            transactions: disk.wear.transactions, syncs: disk.wear.syncs, bytesWritten: disk.wear.bytesWritten)
    }

    /// The broken rules among those that hold between two calls, a sentence for each; for tests.
    func checkInvariants() -> [String] {
        let isTooLarge = disk.folder != nil && pending.bytes > disk.limits.memoryBytes
        return (isTooLarge ? ["\(pending.bytes) bytes of events are in memory"] : [])
            + bookkeeping.checkInvariants(pending)
    }

    // MARK: Committing

    /// Commits a transaction: its messages and records are stored together or not at all, even in a crash.
    ///
    /// `build` makes the transaction for a given numbering. If the disk fails at this moment, and a crash could repeat
    /// numbers of the epoch, a new epoch begins and `build` is called again. Only its last result counts. `build` must
    /// make no messages of a series that `canNumber` denies: those wait. One call costs about one sync of the disk,
    /// whatever its number of messages, so messages that come together belong into one call.
    ///
    /// - Returns: the transaction that was committed, with the numbers that its messages got.
    /// - Throws: `OutboxError.misnumbered`; nothing was kept then. A failing disk is no error: see `condition`.
    @discardableResult
    func commit(_ build: (Numbering) -> OutboxTransaction) throws(OutboxError) -> OutboxTransaction {
        while true {
            let transaction = build(bookkeeping.numbering)
            try bookkeeping.check(transaction)
            if transaction.isEmpty { return transaction }
            if isDurable {
                do {
                    try persist(adding: transaction)
                    checkpointIfDue()
                    return transaction
                } catch {
                    fail(error)
                    if transaction.messages.contains(where: { $0.number.series.needsDisk }) { continue }
                }
            }
            if bookkeeping.reserve(for: transaction, in: disk.folder) {
                keepInMemory(transaction)
                return transaction
            }
            beginEpoch()
        }
    }

    /// Stores a small value that outlives the process, such as a key. If the disk works, the value is on it when this
    /// returns.
    func setValue(_ value: [UInt8], forKey key: String) {
        pending.setValue(value, forKey: key)
        if isDurable { persistPending() }
    }

    /// Stores a secret in place of the former one. Once the disk has the new secret, no file of the state folder holds
    /// the former one: not the log, no free page, and no damaged file that was set aside.
    func replaceSecret(_ secret: [UInt8], forKey key: String) {
        disk.eraseSecret()
        setValue(secret, forKey: key)
    }

    /// The value stored under `key`; `nil` where there is none, or where the disk cannot be read.
    package func value(forKey key: String) -> [UInt8]? {
        if let value = pending.values[key] { return value }
        do {
            return try store?.value(forKey: key)
        } catch {
            fail(error)
            return nil
        }
    }

    /// Every record, by key, for the start. Where the disk cannot be read, only the records in memory.
    func records() -> [OutboxRecord] {
        var records: [String: [UInt8]] = [:]
        for record in recordsAtStart { records[record.key] = record.value }
        do {
            for record in try store?.contents(of: .record) ?? [] { records[record.key] = record.value }
        } catch {
            fail(error)
        }
        for (key, value) in pending.records { records[key] = value }
        return records.map { OutboxRecord(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }

    /// Begins a new epoch in memory, which the file does not know yet.
    func beginEpoch() { bookkeeping.begin(epoch: EpochName.make(at: wallTime, using: &generator)) }

    private func keepInMemory(_ transaction: OutboxTransaction) {
        pending.apply(transaction)
        for event in bookkeeping.position(transaction.messages) { pending.append(event) }
        bookkeeping.lose(transaction.lostEvents)
        let maxBytes = disk.folder == nil ? disk.limits.maxBytes : disk.limits.memoryBytes
        let retention = Retention(maxEvents: Int64(disk.limits.maxEvents), maxBytes: maxBytes)
        if let (events, cause) = pending.dropOldest(retention) {
            bookkeeping.drop(events.lazy.map { ($0.position, $0.number) }, cause: cause)
        }
    }

    // MARK: Delivery

    /// The number of acknowledged events at which a transaction of its own deletes them from the file.
    private static let deletionBatch: Int64 = 1_000
    /// The longest time until that transaction. If another transaction comes first, the deletion costs nothing.
    private static let deletionDelay = TimeSpan.seconds(60)

    /// The next events to send, oldest first, of those not returned before: at most `limit`, at most 1000 and about 1 MiB
    /// at a time. The caller keeps them until they are acknowledged.
    ///
    /// While the disk cannot be read, events in memory are returned although older ones wait in the file alone. These
    /// follow once the disk can be read.
    package func next(limit: Int) -> [QueuedMessage] {
        next(limit: limit, in: bookkeeping.formerEnd..<Position.afterAll)
    }

    /// The next events of former owners. They wait apart, so that they do not hold up this owner's events.
    func nextOfFormerOwners(limit: Int) -> [QueuedMessage] {
        guard bookkeeping.formerEnd > .beforeAll else { return [] }
        return next(limit: limit, in: Position.beforeAll..<bookkeeping.formerEnd)
    }

    private func next(limit: Int, in positions: Range<Position>) -> [QueuedMessage] {
        let limit = min(max(limit, 0), DeliveryCursor.largestPage)
        guard limit > 0 else { return [] }
        var page: [QueuedMessage] = []
        do {
            page = try cursor.next(limit: limit, in: positions, of: store, bookkeeping)
        } catch {
            fail(error)
        }
        return cursor.handOut(page, limit: limit, in: positions, and: pending)
    }

    /// Removes events that the broker has acknowledged. Positions that are not in the outbox are ignored.
    ///
    /// The file follows with the next transaction, after 1000 acknowledgements or after a minute. A crash before that
    /// only means a second delivery with the same numbers.
    package func acknowledge(_ positions: some Sequence<Position>) {
        for position in positions where bookkeeping.isKnown(position) {
            cursor.acknowledged(position)
            pending.remove(at: position)
            bookkeeping.acknowledge(position)
        }
        if pending.events.isEmpty, bookkeeping.waitingEvents == 0 { bookkeeping.settle() }
        guard bookkeeping.acknowledgedCount > 0 else { return }
        deletionDue = min(deletionDue, now + Self.deletionDelay)
        if isDurable, bookkeeping.acknowledgedCount >= Self.deletionBatch { persistPending() }
    }

    /// Sets an event aside that the broker refuses, so that it does not hold up the others. The event stays in the
    /// outbox, and is offered again after a restart. Beyond 1000 such events the oldest is given up and reported as a
    /// gap.
    func park(_ event: QueuedMessage) {
        guard !bookkeeping.hasLeft(event.position) else { return }
        let entry = ParkedEvents.Entry(position: event.position, number: event.number)
        if let oldest = cursor.park(entry) { giveUp(oldest.number, at: oldest.position) }
    }

    /// Gives up an event that the broker refuses for good: it leaves the outbox, and is reported as a gap.
    func giveUp(_ event: QueuedMessage) { giveUp(event.number, at: event.position) }

    private func giveUp(_ number: MessageNumber, at position: Position) {
        guard !bookkeeping.hasLeft(position) else { return }
        bookkeeping.drop(number, cause: .refused)
        acknowledge([position])
    }

    /// Gaps to publish that were not returned before.
    func takeGaps() -> [OutboxGap] { bookkeeping.gaps.take() }

    /// True if subscribers have not got all gaps yet.
    var hasGaps: Bool { !bookkeeping.gaps.gaps.isEmpty }

    /// Removes `gap` after it was published. Before that, each restart offers it again.
    func confirm(_ gap: OutboxGap) {
        if bookkeeping.gaps.confirm(gap) { deletionDue = min(deletionDue, now + Self.deletionDelay) }
    }

    // MARK: The disk

    /// Passes time: retries a failing disk when that is due, and deletes events from the file that were acknowledged
    /// long enough ago. Call it about once a second.
    ///
    /// - Parameter wallTime: part of the name of a new epoch.
    package func tick(at now: Instant, wallTime: WallTime) {
        disk.pass(to: now)
        self.wallTime = wallTime
        recordsAtStart = []
        if !disk.holdsFiles() { recover() }
        if let fault = disk.mode.fault {
            if self.now >= fault.retry.due { recover() }
        } else if isDurable, self.now >= deletionDue {
            persistPending()
        }
    }

    /// Writes what can still be written, closes the file and releases the folder for another process. Later commits
    /// stay in memory.
    ///
    /// A disk that refused is tried once more, due or not. It may work again, and otherwise everything in memory would
    /// be lost.
    package func close() {
        if condition != nil { recover() }
        if isDurable, bookkeeping.acknowledgedCount > 0 || bookkeeping.gaps.isChanged { persistPending() }
        disk.close()
    }

    /// Continues in memory until the disk works again.
    func fail(_ error: DiskError, mayReplace: Bool = true) { disk.fail(error, mayReplace: mayReplace) }

    /// Tries to work on the disk: takes one step after the other until no step remains. A damaged file is replaced at
    /// once, but only once: a disk that damages every file waits for its next retry.
    private func recover() {
        guard let folder = disk.folder else { return }
        var mayReplace = true
        for _ in 0..<2 {
            do {
                try disk.hold()
                while let step = disk.mode.nextStep {
                    try take(step, in: folder)
                    if case .setAside = step { mayReplace = false }
                }
                return
            } catch {
                fail(error, mayReplace: mayReplace)
                if !disk.mode.isDamaged { return }
            }
        }
    }

    private func take(_ step: OutboxMode<EventStore>.Step, in folder: any OutboxFolder) throws(DiskError) {
        switch step {
        case .setAside: try disk.setAside()
        case .carryOver(let old):
            try disk.carryOver(old)
            // The file that was moved away, perhaps with its whole disk, may come back and would repeat the numbers of
            // the old epoch.
            if bookkeeping.isEpochStored { beginEpoch() }
        case .open:
            let store = try disk.open(folder)
            if let salvage = disk.salvage(into: store) { takeIn(salvage) }
            if disk.mode.meeting == .done { try rejoin(store) } else { try meet(store) }
            store.origin = bookkeeping.origin
            try disk.opened(store)
        case .write:
            try persist()
            try disk.written(folder)
        }
    }

    /// Handles the first meeting with the file in the folder. At the start, the file's epoch goes on if it is this
    /// owner's. Later it does not, even if no number was given yet: the regions did not start from the file's states,
    /// so numbers of its epoch would not fit the states that were published.
    private func meet(_ store: EventStore) throws(DiskError) {
        guard let meta = store.meta else { return }
        var next = bookkeeping
        next.find(events: try store.count(), gaps: try store.gaps(), meta)
        let inheritance = try store.inheritance(meta, for: owner?.name)
        let former = next.inherit(inheritance, by: owner)
        if former == nil {
            let last = try store.last(of: next.owners)
            next.endFormer(at: last.map { next.origin.position(inFile: $0).next } ?? .beforeAll)
        }
        let records = try store.contents(of: .record)
        if let former {
            takeOver(records, inheritance.values, from: former)
        } else if disk.mode.meeting == .atStart {
            recordsAtStart = records
            next.goOn(from: meta, oldest: try store.oldest(1).first?.number)
        }
        if let reservation = try disk.folder?.reservation() { next.skip(reservation, of: meta) }
        bookkeeping = next
    }

    /// Handles a file that was opened again after a failure. Unless it is another file, the outbox knows its content
    /// better than the file.
    private func rejoin(_ store: EventStore) throws(DiskError) {
        store.origin = bookkeeping.origin
        guard let meta = store.meta else {
            guard bookkeeping.hasStored else { return }
            // The file vanished, perhaps with its whole disk. It may come back, so its epoch ends here.
            let (kept, endsEpoch) = (cursor.takeFresh(), bookkeeping.isEpochStored)
            pending.prepend(kept)
            bookkeeping.loseStoredEvents(except: Array(pending.events), cause: .disk)
            bookkeeping.resetFile(saved: kept)
            cursor.removeParked(where: bookkeeping.hasLeft)
            if endsEpoch { beginEpoch() }
            fileGeneration += 1
            return
        }
        if !store.isReadOnly {
            if let undone = bookkeeping.undone(meta) {
                // The disk has undone transactions that it had reported as synced.
                pending.prepend(cursor.takeFresh().filter { undone.contains($0.position) })
                bookkeeping.loseEnd(of: undone, from: meta, except: Array(pending.events))
                cursor.removeParked(where: bookkeeping.hasLeft)
            }
            // It may have undone records too, which have no number.
            fileGeneration += 1
            // The failure may have undone deletions, which are not synced.
            try store.delete(bookkeeping.left)
            try store.truncate(from: bookkeeping.storedEnd)
            bookkeeping.recount(try store.count())
        }
    }

    /// Reads into memory what can be read of a file that was set aside; `persist` writes it into the new file. The
    /// saved content comes before the content in memory, and the missing numbers are reported.
    private func takeIn(_ salvage: Salvage) {
        let isFirst = disk.mode.meeting != .done
        if isFirst { bookkeeping.adopt(salvage.origin) }
        var events = salvage.events(from: bookkeeping.origin)
        events.removeAll { bookkeeping.hasLeft($0.position) || $0.position >= bookkeeping.storedEnd }
        let saved = Set(events.map(\.position))
        events += cursor.takeFresh().filter { !saved.contains($0.position) }
        events.sort { $0.position < $1.position }
        let values = salvage.values.filter { !EpochOwners.isTheirs($0.key) }
        let former = isFirst ? bookkeeping.inherit(salvage.inheritance, by: owner) : nil
        if isFirst, former == nil { bookkeeping.endFormer(at: bookkeeping.owners.end(of: events)) }
        if !salvage.isEveryEventThere {
            if isFirst {
                bookkeeping.loseNumbers(of: salvage, except: events)
            } else {
                bookkeeping.loseStoredEvents(except: events + pending.events, cause: .corrupt)
            }
        }
        pending.prepend(events)
        if let former {
            takeOver(salvage.records, values, from: former)
        } else {
            pending.fill(records: salvage.records, values: values)
        }
        if isFirst { for gap in salvage.gaps { bookkeeping.gaps.add(gap) } }
        if !isFirst, !salvage.isEveryRecordThere { fileGeneration += 1 }
        bookkeeping.resetFile(saved: events)
        disk.salvaged(salvage, events: events.count)
    }

    /// Replaces what `former` left by what is known now, where nothing newer has.
    private func takeOver(_ records: [OutboxRecord], _ values: [OutboxRecord], from former: String) {
        guard let owner else { return }
        let kept = owner.legacy(of: records, leftBy: former)
        pending.fill(records: kept, values: [])
        pending.remove(records: records.map(\.key), values: values.map(\.key).filter { !EpochOwners.isTheirs($0) })
        recordsAtStart = disk.mode.meeting == .atStart ? kept : []
        disk.log(
            "this was \(former) and is \(owner.name) now: a new epoch begins, and regions settle anew; what "
                + "\(former) left is delivered and cleared under its own topics, where the broker allows it")
    }

    /// Writes everything that is in memory alone, and `transaction`, as one transaction of the file. If it throws, this
    /// outbox is unchanged.
    private func persist(adding transaction: OutboxTransaction = OutboxTransaction()) throws(DiskError) {
        guard let store else { return }
        var next = bookkeeping
        var incoming = Array(pending.events)
        incoming += next.position(transaction.messages)
        next.lose(transaction.lostEvents)
        var changes = pending
        changes.apply(transaction)
        // A transaction that only deletes acknowledged events need not reach the disk at once. If a power cut undoes
        // it, events are delivered twice, as after any acknowledgement that is not written yet.
        let isSynced = !transaction.isEmpty || !pending.isEmpty || bookkeeping.isUnwritten || condition != nil
        let areAllKept = try disk.write(
            incoming, changes, &next, owner: owner?.name, at: wallTime, isSynced: isSynced, in: store)
        cursor.committed(
            incoming.filter { $0.position >= next.formerEnd }, areAllKept: areAllKept,
            isFirst: bookkeeping.waitingEvents == 0)
        bookkeeping = next
        pending = PendingChanges()
        deletionDue = .distantFuture
    }

    /// Calls `persist`, and handles its failure.
    private func persistPending() {
        do {
            try persist()
            checkpointIfDue()
        } catch {
            fail(error)
        }
    }

    /// Copies the log into the database when that is due. A failure counts as a fault of the disk, since the log would
    /// grow without limit.
    private func checkpointIfDue() {
        guard disk.isCheckpointDue else { return }
        do {
            try disk.checkpoint()
        } catch {
            fail(error)
        }
    }
}

/// The owner of an outbox: one gateway of one site.
///
/// A new owner begins a new epoch, and does not use the former owner's records. The former owner's events still wait
/// for delivery. They wait apart from this owner's, so that neither holds up the other.
package protocol OutboxOwner: Sendable {
    /// The owner's name, which identifies it.
    var name: String { get }

    /// The owner of an event, by its topic; `nil` where the topic does not tell. Needed for a damaged file whose owner
    /// cannot be read.
    func owner(ofTopic topic: String) -> String?

    /// The records with which this owner begins where `former` left these.
    func legacy(of records: [OutboxRecord], leftBy former: String) -> [OutboxRecord]
}
