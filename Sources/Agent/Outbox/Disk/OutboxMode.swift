import Core

/// The relation between an outbox and the file in its folder. Each possible state is a case, and every transition is
/// written here.
///
/// The type is generic over the file, so that tests of these rules need no disk.
enum OutboxMode<File> {
    /// In memory alone: there is no folder, or the outbox is closed.
    case detached
    /// Commits reach the file.
    case working(File)
    /// Commits stay in memory until `nextStep` returns no further step. The fault is `nil` as long as the disk has not
    /// refused.
    case mending(FileState, DiskFault?)

    /// The work that remains, by the file at hand.
    enum FileState {
        case closed(Meeting)
        /// The file in the folder is damaged and has to be set aside. No file is open.
        case damaged(Meeting)
        /// The readable part of a damaged file is in memory, and not committed yet. The new file is open unless the
        /// disk refused it.
        case salvaged(File?)
        /// The open file is read-only, so every retry opens it anew.
        case readOnly(File)
        /// The open file has to receive what is in memory.
        case open(File)
        /// The open file is no longer in the folder. It is read until a copy of it stands there.
        case displaced(File)
    }

    /// The stage of the meeting of the outbox and the file in its folder. After it, the outbox knows better than the
    /// file.
    enum Meeting {
        /// The outbox has no user yet, so it may go on from the file's content.
        case atStart
        /// The outbox may have given numbers already.
        case later
        case done
    }

    enum Step {
        case setAside
        case carryOver(File)
        case open
        case write(File)
    }

    /// The mode of an outbox whose folder has not been opened yet.
    static var atStart: OutboxMode { .mending(.closed(.atStart), nil) }

    // MARK: Questions

    /// The next step with a folder that is held; `nil` where no work remains.
    var nextStep: Step? {
        switch self {
        case .detached, .working: nil
        case .mending(.damaged, _): .setAside
        case .mending(.displaced(let file), _): .carryOver(file)
        case .mending(.closed, _), .mending(.readOnly, _), .mending(.salvaged(nil), _): .open
        case .mending(.open(let file), _), .mending(.salvaged(let file?), _): .write(file)
        }
    }

    /// The open file, also while it is read-only.
    var file: File? {
        switch self {
        case .detached: nil
        case .working(let file): file
        case .mending(let state, _): state.file
        }
    }

    var isWorking: Bool {
        guard case .working = self else { return false }
        return true
    }

    var isDamaged: Bool {
        guard case .mending(.damaged, _) = self else { return false }
        return true
    }

    /// True if the content saved from a damaged file is in memory alone.
    var isSalvaged: Bool {
        guard case .mending(.salvaged, _) = self else { return false }
        return true
    }

    var meeting: Meeting {
        guard case .mending(let state, _) = self else { return .done }
        return state.meeting
    }

    /// The disk's last refusal; `nil` where the disk has worked since.
    var fault: DiskFault? {
        guard case .mending(_, let fault) = self else { return nil }
        return fault
    }

    // MARK: Transitions

    /// Ends the first try: the outbox has users from now on.
    mutating func started() {
        switch self {
        case .mending(.closed(.atStart), let fault): self = .mending(.closed(.later), fault)
        case .mending(.damaged(.atStart), let fault): self = .mending(.damaged(.later), fault)
        default: break
        }
    }

    mutating func setAside() {
        guard case .mending(.damaged(let meeting), let fault) = self else { return }
        self = .mending(.closed(meeting), fault)
    }

    /// Records that the readable part of a damaged file is in memory.
    mutating func salvaged() {
        guard case .mending(.closed, let fault) = self else { return }
        self = .mending(.salvaged(nil), fault)
    }

    mutating func opened(_ file: File, isReadOnly: Bool) {
        switch self {
        case .mending(.closed, let fault): self = .mending(isReadOnly ? .readOnly(file) : .open(file), fault)
        // A read-only file can't receive the saved content, so no file is open.
        case .mending(.salvaged, let fault): self = .mending(.salvaged(isReadOnly ? nil : file), fault)
        default: break
        }
    }

    /// Records that the file has received everything that was in memory alone.
    ///
    /// - Returns: the fault that this ends.
    mutating func written() -> DiskFault? {
        guard case .write(let file)? = nextStep else { return nil }
        defer { self = .working(file) }
        return fault
    }

    /// Records that a file of the folder is not in its place.
    mutating func missed(_ finding: FileWatch.Finding) {
        guard case .working(let file) = self else { return }
        switch finding {
        case .databaseReplaced: self = .mending(.displaced(file), nil)
        // Closing copies the log that is still open into the database.
        case .logReplaced: self = .mending(.closed(.done), nil)
        case .lockReplaced: self = .mending(.open(file), nil)
        }
    }

    /// Records that the disk has refused.
    ///
    /// - Parameter mayReplace: whether the damaged file is set aside at once. After one replacement in this try, the
    /// next waits for a retry.
    mutating func failed(_ fault: DiskFault, _ error: DiskError, mayReplace: Bool) {
        let state: FileState =
            switch self {
            case .detached: .closed(.done)
            case .working(let file): .open(file)
            case .mending(let state, _): state
            }
        if error.isDamage, mayReplace {
            self = .mending(.damaged(state.meeting), fault)
        } else if case .displaced = state {
            self = .mending(state, fault)
        } else {
            self = .mending(error.leavesFileReadable ? state : state.withoutFile, fault)
        }
    }

    /// Closes the open file, so that another can be opened.
    mutating func letGo() {
        guard case .mending(let state, let fault) = self else { return }
        self = .mending(state.withoutFile, fault)
    }

    /// Closes the outbox. A refusal of the disk stays on record.
    mutating func closed() {
        if case .mending(let state, let fault?) = self {
            self = .mending(state.withoutFile, fault)
        } else {
            self = .detached
        }
    }
}

extension OutboxMode.FileState {
    fileprivate var file: File? {
        switch self {
        case .closed, .damaged: nil
        case .salvaged(let file): file
        case .readOnly(let file), .open(let file), .displaced(let file): file
        }
    }

    fileprivate var meeting: OutboxMode.Meeting {
        switch self {
        case .closed(let meeting), .damaged(let meeting): meeting
        case .salvaged, .readOnly, .open, .displaced: .done
        }
    }

    fileprivate var withoutFile: Self {
        switch self {
        case .closed, .damaged: self
        case .salvaged: .salvaged(nil)
        case .readOnly, .open, .displaced: .closed(.done)
        }
    }
}

/// A refusal of the disk: its error, its beginning, and the time of the next retry.
struct DiskFault: Hashable {
    /// The time for which a file may be unreadable. Then the outbox saves its readable part and gives up the rest.
    static let longestUnreadable = TimeSpan.seconds(60)

    let condition: OutboxCondition
    let retry: RetrySchedule
    /// The time since which the file can't be read to its end; `nil` where it can be read, or where nothing tried.
    let unreadableSince: Instant?

    /// - Parameter former: the fault before this one, if the disk has not worked since.
    init(_ condition: OutboxCondition, unreadableSince: Instant?, after former: DiskFault?, at now: Instant) {
        self.condition = condition
        self.unreadableSince = unreadableSince
        var retry = former?.retry ?? RetrySchedule()
        retry.failed(at: now)
        self.retry = retry
    }

    /// Returns the meaning of an error, and the time since which the file can't be read.
    ///
    /// SQLite reports a read that the disk refuses as a damaged file. But the disk may recover, and then nothing of the
    /// file is lost. So the file counts as damaged only where it can be read to its end, or has been unreadable for a
    /// minute.
    ///
    /// - Parameters:
    ///   - refusal: the disk's error for a read of the whole file; asked where `error` is damage.
    ///   - since: the time since which the disk has refused that read.
    static func judge(
        _ error: DiskError, refusal: DiskError?, since: Instant?, at now: Instant
    ) -> (error: DiskError, unreadableSince: Instant?) {
        guard error.isDamage else { return (error, since) }
        guard let refusal else { return (error, nil) }
        let since = since ?? now
        return (now - since < longestUnreadable ? refusal : error, since)
    }
}

/// The retries of a failing disk: after 1 s, then after pauses that double up to a minute.
struct RetrySchedule: Hashable {
    private var pause = DoublingPause(TimeSpan.seconds(1)...TimeSpan.seconds(60))
    private(set) var due = Instant.distantFuture

    mutating func failed(at now: Instant) { due = now + pause.next() }
}
