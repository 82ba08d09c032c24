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
/// - `rewind` on every new connection, and `tick` about once a second.
package final class Outbox {
    /// The most that `next` returns.
    static let largestPage = 1_000
    static let largestPageBytes: Int64 = 1 << 20

    let limits: OutboxLimits
    /// `nil` for an outbox in memory alone.
    let folder: (any OutboxFolder)?
    let vfs: String?
    /// `nil` where the owner does not matter.
    let owner: (any OutboxOwner)?
    var generator: any RandomNumberGenerator

    var bookkeeping: Bookkeeping
    var pending = PendingChanges()
    var cursor = DeliveryCursor()
    var fresh = FreshMessages()
    /// The records that the file held at the start, kept until time passes. A caller that continues the file's epoch
    /// continues from these records, even if the disk fails again before it asks.
    var recordsAtStart: [OutboxRecord] = []

    var mode: OutboxMode<EventStore>
    var files = FileWatch()
    var reports = DiskReports()
    package var now: Instant
    var wallTime: WallTime
    /// The latest time at which acknowledged events are deleted from the file.
    var deletionDue = Instant.distantFuture
    /// Whether the former value of a replaced secret may still stand in a file.
    var forgetsSecret = false
    var wear = Wear()

    /// The number of times that a file was made anew in this process, because the former one was damaged or gone. When
    /// it grows, callers commit every record again: the old file's records may be lost.
    var fileGeneration = 0

    /// Creates an outbox in memory, for a replay without a state folder.
    ///
    /// - Parameters:
    ///   - wallTime: the beginning of the outbox, which is part of the epoch's name.
    ///   - generator: the rest of the epoch's name; a seeded one makes a replay repeatable.
    package init(
        limits: OutboxLimits, at now: Instant, wallTime: WallTime,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.limits = limits
        self.now = now
        self.wallTime = wallTime
        self.generator = generator
        folder = nil
        vfs = nil
        owner = nil
        mode = .detached
        bookkeeping = Bookkeeping(numbering: Numbering(epoch: ""))
        beginEpoch()
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
            directory: directory, vfs: nil, owner: owner, limits: limits, at: now, wallTime: wallTime,
            generator: generator)
    }

    /// Creates an outbox in `directory` through SQLite's file layer of the name `vfs`.
    convenience init(
        directory: String, vfs: String?, owner: (any OutboxOwner)? = nil, limits: OutboxLimits, at now: Instant,
        wallTime: WallTime, generator: any RandomNumberGenerator
    ) throws(OutboxError) {
        try self.init(
            folder: StateFolder(path: directory, holder: owner?.name ?? ""), vfs: vfs, owner: owner, limits: limits,
            at: now, wallTime: wallTime, generator: generator)
    }

    /// Creates an outbox in a folder that need not be on this machine's disk, through SQLite's file layer of the name
    /// `vfs`.
    init(
        folder: any OutboxFolder, vfs: String?, owner: (any OutboxOwner)? = nil, limits: OutboxLimits, at now: Instant,
        wallTime: WallTime, generator: any RandomNumberGenerator
    ) throws(OutboxError) {
        self.owner = owner
        self.limits = limits
        self.now = now
        self.wallTime = wallTime
        self.generator = generator
        self.vfs = vfs
        self.folder = folder
        mode = .atStart
        bookkeeping = Bookkeeping(numbering: Numbering(epoch: ""))
        beginEpoch()
        do {
            try folder.hold()
        } catch {
            if error.source == .inUse { throw .inUse(directory: folder.path) }
            mode.started()
            fail(error)
            return
        }
        recover()
        mode.started()
    }

    /// The current epoch, and the number of the next message of each series. Both may change in `tick` and, where the
    /// disk fails, in `commit`; `status` names the epoch.
    package var numbering: Numbering { bookkeeping.numbering }

    /// Whether commits reach the disk now.
    var isDurable: Bool { mode.isWorking }

    /// The fault that keeps the outbox from its disk; `nil` where the disk works.
    package var condition: OutboxCondition? { mode.fault?.condition }

    /// The open file, also while it is read-only.
    package var store: EventStore? { mode.file }

    /// Whether messages of a series can be numbered now. Some series wait for a failing disk, because a restart would
    /// repeat their numbers.
    func canNumber(_ series: NumberSeries) -> Bool { folder == nil || isDurable || !series.needsDisk }

    /// Begins a new epoch in memory, which the file does not know yet.
    func beginEpoch() {
        bookkeeping.begin(epoch: EpochName.make(at: wallTime, using: &generator))
    }

    /// Log lines: each fault once until the disk works again, and then its recovery.
    package func takeReports() -> [String] { reports.take() }

    /// The outbox's figures.
    package var health: OutboxHealth {
        let stored = max(bookkeeping.storedEvents - bookkeeping.acknowledgedCount, 0)
        return OutboxHealth(
            queuedEvents: stored + Int64(pending.events.count), eventsInMemory: Int64(pending.events.count),
            queuedBytes: pending.bytes + wear.usedBytes, parkedEvents: cursor.parked.entries.count,
            droppedEvents: bookkeeping.dropped, condition: condition, transactions: wear.transactions,
            syncs: wear.syncs,
            bytesWritten: wear.bytesWritten)
    }
}
