import Core

/// Where events wait until the broker has acknowledged them, beside the region states that they changed.
///
/// One thread owns it. It never blocks on anything but its disk, and never fails because of it: while the disk refuses,
/// it works in memory, within its limits, tries again by itself (`tick`), and writes in order what it kept once the disk
/// works again. What is wrong is in `condition`, and once per cause in `takeReports`.
///
/// Usage, in the delivery loop: `commit` what the engine produced; send what `next` hands out; `acknowledge` each
/// event whose PUBACK says success; publish what `takeGaps` hands out and `confirm` it; `rewind` on every new connection;
/// `tick` about once a second.
package final class Outbox {
    /// What `next` hands out at most.
    static let largestPage = 1_000
    static let largestPageBytes: Int64 = 1 << 20

    let limits: OutboxLimits
    /// `nil` for an outbox that lives in memory alone.
    let folder: (any OutboxFolder)?
    let vfs: String?
    /// `nil` where nobody asks whose it is.
    let owner: (any OutboxOwner)?
    var generator: any RandomNumberGenerator

    var bookkeeping: Bookkeeping
    var pending = PendingChanges()
    var cursor = DeliveryCursor()
    /// The records that the file held at the start, until time passes: whoever goes on in its epoch goes on from them, also if
    /// the disk fails again before they are asked for.
    var recordsAtStart: [OutboxRecord] = []

    var mode: OutboxMode<EventStore>
    var files = FileWatch()
    var reports = DiskReports()
    package var now: Instant
    var wallTime: WallTime
    /// When acknowledged events are deleted in the file at the latest.
    var deletionDue = Instant.distantFuture
    /// Whether a secret was replaced whose former value may still stand in a file.
    var forgetsSecret = false
    var wear = Wear()

    /// How often a file was made anew while the process lived, because it was damaged or gone. Whoever sees it grow
    /// commits every record again: those in the old file may be lost.
    var fileGeneration = 0

    /// An outbox in memory: for a replay without a state folder.
    ///
    /// - Parameters:
    ///   - wallTime: When the outbox begins; it is part of the epoch's name.
    ///   - generator: The rest of the epoch's name; a seeded one makes a replay repeatable.
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

    /// An outbox in `directory`, going on where the last process left off. Where the disk refuses, it begins in memory
    /// and says so in `condition`.
    ///
    /// - Parameter owner: whose it is; where it was another's, a new epoch begins.
    /// - Throws: `OutboxError.inUse` where another process holds the directory.
    package convenience init(
        directory: String, owner: (any OutboxOwner)? = nil, limits: OutboxLimits, at now: Instant, wallTime: WallTime,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws(OutboxError) {
        try self.init(
            directory: directory, vfs: nil, owner: owner, limits: limits, at: now, wallTime: wallTime,
            generator: generator)
    }

    /// As above, through SQLite's file layer of the name `vfs`.
    convenience init(
        directory: String, vfs: String?, owner: (any OutboxOwner)? = nil, limits: OutboxLimits, at now: Instant,
        wallTime: WallTime, generator: any RandomNumberGenerator
    ) throws(OutboxError) {
        try self.init(
            folder: StateFolder(path: directory, holder: owner?.name ?? ""), vfs: vfs, owner: owner, limits: limits,
            at: now, wallTime: wallTime, generator: generator)
    }

    /// As above, in a folder that need not be on this machine's disk, through SQLite's file layer of the name `vfs`.
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

    /// The current epoch and the number that the next message of each series gets. Both may change in `tick` and, where the disk fails, in
    /// `commit`; `status` names the epoch.
    package var numbering: Numbering { bookkeeping.numbering }

    /// Whether what is committed now reaches the disk.
    var isDurable: Bool { mode.isWorking }

    /// What keeps the outbox from its disk; `nil` where nothing does.
    var condition: OutboxCondition? { mode.fault?.condition }

    /// The open file, also where it can only be read at the moment.
    package var store: EventStore? { mode.file }

    /// Whether messages of a series can be numbered now. Those of some wait for a disk that fails: a restart would give their numbers
    /// again.
    func canNumber(_ series: NumberSeries) -> Bool { folder == nil || isDurable || !series.needsDisk }

    /// Begins numbering anew, in memory: the file knows nothing of this epoch yet.
    func beginEpoch() {
        bookkeeping.begin(epoch: EpochName.make(at: wallTime, using: &generator))
    }

    /// What to log, a line each: a fault once per cause until the disk works again, and that it does.
    package func takeReports() -> [String] { reports.take() }

    /// The outbox in figures.
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
