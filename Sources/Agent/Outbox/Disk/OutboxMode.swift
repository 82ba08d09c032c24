import Core

/// How an outbox stands with the file in its folder. Each state that can exist is a case, and every step from one to another is
/// written here.
///
/// What the file is does not matter here, so the rules are tested without a disk.
enum OutboxMode<File> {
    /// In memory alone: there is no folder, or the outbox is closed.
    case detached
    /// What is committed reaches the file.
    case working(File)
    /// What is committed stays in memory until `nextStep` has no further step. The fault is `nil` as long as the disk has not refused.
    case mending(Standing, DiskFault?)

    /// What is left to be done, by what there is to do it with.
    enum Standing {
        /// No file is open.
        case closed(Meeting)
        /// The file in the folder is damaged, and has to be set aside. It is not open.
        case damaged(Meeting)
        /// What could be read of a damaged file is in memory, and not committed yet. The new file is open unless the disk refused it.
        case salvaged(File?)
        /// The open file can be read only, so it is opened anew at every try.
        case readOnly(File)
        /// The open file has to take what is in memory.
        case open(File)
        /// The open file has lost its place in the folder. It is read until a copy of it stands there.
        case displaced(File)
    }

    /// Whether an outbox and the file in its folder have met: from then on the outbox knows best.
    enum Meeting {
        /// Whoever made the outbox has not seen it yet, so it may go on from what the file holds.
        case atStart
        /// Numbers may have been given already.
        case later
        case done
    }

    enum Step {
        case setAside
        case carryOver(File)
        case open
        case write(File)
    }

    /// Of an outbox with a folder that nobody has looked into.
    static var atStart: OutboxMode { .mending(.closed(.atStart), nil) }

    // MARK: What it says

    /// The next thing to do with a folder that is held; `nil` where nothing is left to do.
    var nextStep: Step? {
        switch self {
        case .detached, .working: nil
        case .mending(.damaged, _): .setAside
        case .mending(.displaced(let file), _): .carryOver(file)
        case .mending(.closed, _), .mending(.readOnly, _), .mending(.salvaged(nil), _): .open
        case .mending(.open(let file), _), .mending(.salvaged(let file?), _): .write(file)
        }
    }

    /// The open file, also where it can only be read at the moment.
    var file: File? {
        switch self {
        case .detached: nil
        case .working(let file): file
        case .mending(let standing, _): standing.file
        }
    }

    var isWorking: Bool {
        guard case .working = self else { return false }
        return true
    }

    /// Whether a damaged file stands in the folder.
    var isDamaged: Bool {
        guard case .mending(.damaged, _) = self else { return false }
        return true
    }

    /// Whether what was read of a damaged file is in memory alone.
    var isSalvaged: Bool {
        guard case .mending(.salvaged, _) = self else { return false }
        return true
    }

    var meeting: Meeting {
        guard case .mending(let standing, _) = self else { return .done }
        return standing.meeting
    }

    /// What the disk said when it refused last; `nil` where it has not since it worked.
    var fault: DiskFault? {
        guard case .mending(_, let fault) = self else { return nil }
        return fault
    }

    // MARK: How it changes

    /// The first try is over: whoever made the outbox sees it from now on.
    mutating func started() {
        switch self {
        case .mending(.closed(.atStart), let fault): self = .mending(.closed(.later), fault)
        case .mending(.damaged(.atStart), let fault): self = .mending(.damaged(.later), fault)
        default: break
        }
    }

    /// The damaged file is set aside.
    mutating func setAside() {
        guard case .mending(.damaged(let meeting), let fault) = self else { return }
        self = .mending(.closed(meeting), fault)
    }

    /// What could be read of a damaged file has been taken into memory.
    mutating func salvaged() {
        guard case .mending(.closed, let fault) = self else { return }
        self = .mending(.salvaged(nil), fault)
    }

    /// A file was opened, and the outbox knows what it holds.
    mutating func opened(_ file: File, isReadOnly: Bool) {
        switch self {
        case .mending(.closed, let fault): self = .mending(isReadOnly ? .readOnly(file) : .open(file), fault)
        // One that can't take what was salvaged holds nothing.
        case .mending(.salvaged, let fault): self = .mending(.salvaged(isReadOnly ? nil : file), fault)
        default: break
        }
    }

    /// The file has taken what was in memory alone.
    ///
    /// - Returns: the fault that is over with that.
    mutating func written() -> DiskFault? {
        guard case .write(let file)? = nextStep else { return nil }
        defer { self = .working(file) }
        return fault
    }

    /// A look at the folder has shown that not all files are in their places.
    mutating func missed(_ finding: FileWatch.Finding) {
        guard case .working(let file) = self else { return }
        switch finding {
        case .databaseReplaced: self = .mending(.displaced(file), nil)
        // Closing copies the log that is still open into the database.
        case .logReplaced: self = .mending(.closed(.done), nil)
        case .lockReplaced: self = .mending(.open(file), nil)
        }
    }

    /// The disk has refused.
    ///
    /// - Parameter mayReplace: whether a damaged file is set aside next. It waits for the next try where one was set aside in this try.
    mutating func failed(_ fault: DiskFault, _ error: DiskError, mayReplace: Bool) {
        let standing: Standing =
            switch self {
            case .detached: .closed(.done)
            case .working(let file): .open(file)
            case .mending(let standing, _): standing
            }
        if error.isDamage, mayReplace {
            self = .mending(.damaged(standing.meeting), fault)
        } else if case .displaced = standing {
            self = .mending(standing, fault)
        } else {
            self = .mending(error.leavesFileReadable ? standing : standing.withoutFile, fault)
        }
    }

    /// The open file is let go, for another to be opened.
    mutating func letGo() {
        guard case .mending(let standing, let fault) = self else { return }
        self = .mending(standing.withoutFile, fault)
    }

    /// The outbox is closed. What the disk refused stays on record.
    mutating func closed() {
        if case .mending(let standing, let fault?) = self {
            self = .mending(standing.withoutFile, fault)
        } else {
            self = .detached
        }
    }
}

extension OutboxMode.Standing {
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
