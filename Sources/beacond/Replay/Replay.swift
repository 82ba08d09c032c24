import Agent
import Core
import Glibc
import Logging

/// Plays a capture and says what it would publish.
struct Replay {
    /// How a replay is asked for.
    struct Options {
        enum Output: String, CaseIterable {
            case jsonl, none, mqtt
        }

        var output: Output
        enum Pace: Equatable {
            /// As fast as it goes.
            case full
            /// Seconds of capture a second.
            case times(Double)
            /// As fast as it goes up to the present, then in real time.
            case present
        }

        var pace: Pace
        /// Where the state outlives the replay; `nil` for memory.
        var stateDirectory: String?
    }

    /// The reason why a replay did not reach its end.
    enum Problem: Error {
        case capture(CaptureFile.Problem)
        case locationLog(FileError)
        case outbox(OutboxError)
        /// The state folder that was named does not have the state, because of a fault of its disk.
        case unstored(OutboxCondition)
        /// Standard output can't be written.
        case output(FileError)
        /// A signal came before everything was delivered; what is left waits in the state folder.
        case stopped
        /// A signal came before everything was read. What was read is printed.
        case interrupted
    }

    /// Outputs that share one transaction at most where nothing is waited for.
    private static let batch = 512

    private let settings: Settings
    private let options: Options
    /// True if records are handed over when they are due. It is asked for each record.
    private let isPaced: Bool
    private let logger: Logger
    private let began = SystemClock.now
    /// From here on a signal ends the replay in good order, also one that waits for its first record.
    private let signals = StopSignals()
    /// True if a first record said when it all begins.
    private(set) var hasBegun = false
    /// True if there is nothing to do for a record but to receive it: asked for each, and to look for a session and for a log takes 30
    /// instructions.
    private var onlyReceives = false
    private var session: ReplaySession?
    /// True if the log says that the present is reached.
    private var hasReachedPresent = false
    private var log: LocationLogFile?
    /// Where messages are printed; `nil` where they go to a broker.
    private var printer: PrintingSink?
    /// A turn of waiting is no longer, so that a signal is noticed soon.
    private static let longestWait = TimeSpan.milliseconds(100)

    init(settings: Settings, options: Options, logger: Logger) {
        self.settings = settings
        self.options = options
        isPaced = options.pace != .full
        self.logger = logger
    }

    /// Plays what there is to its end or to the damage, and returns what was wrong.
    mutating func run(path: String?, locationLog logPath: String?) -> Problem? {
        var problem: Problem?
        do throws(Problem) {
            if let logPath { log = try Self.openLog(logPath) }
            if let path { try play(path) }
            try playLog()
        } catch {
            problem = error
        }
        session?.finish()
        let undelivered = deliver()
        return problem ?? undelivered
    }

    private mutating func play(_ path: String) throws(Problem) {
        var file: CaptureFile
        do throws(FileError) {
            file = try CaptureFile(path: path)
        } catch {
            throw .capture(.file(error))
        }
        var recordCount: UInt64 = 0
        while true {
            // To ask the sink costs more than to read a record, so at full speed it is not asked after each.
            recordCount &+= 1
            if isPaced || recordCount % 256 == 0, isStopped {
                // A reader that goes away has had enough.
                if signals.arePending { throw interruption }
                return
            }
            var time: WallTime?
            var waitingCount = 0
            var failure: Problem?
            let isRead: Bool
            do throws(CaptureFile.Problem) {
                isRead = try file.next { record, event in
                    time = record.time
                    if !onlyReceives { failure = prepare(for: record.time) }
                    if failure != nil { return }
                    waitingCount = session?.receive(record.event == nil ? nil : event, at: record.time) ?? 0
                }
            } catch {
                throw .capture(error)
            }
            if let failure { throw failure }
            if !isRead {
                guard try readMore(&file) else { return }
                continue
            }
            if let time, isPaced || waitingCount >= Self.batch { try keepPace(time) }
        }
    }

    /// Prepares a record: begins the session, and plays the log up to the record's time.
    private mutating func prepare(for time: WallTime) -> Problem? {
        do throws(Problem) {
            try playLog(before: time)
            if !hasBegun { try begin(at: time) }
            onlyReceives = log == nil
            return nil
        } catch {
            return error
        }
    }

    private static func openLog(_ path: String) throws(Problem) -> LocationLogFile {
        do throws(FileError) {
            return try LocationLogFile(path: path)
        } catch {
            throw .locationLog(error)
        }
    }

    /// Plays the log of receivers, up to a record of the capture that comes next; to its end where none does.
    private mutating func playLog(before limit: WallTime? = nil) throws(Problem) {
        guard let log else { return }
        while let time = try nextTime(in: log), limit.map({ time <= $0 }) ?? true {
            if !hasBegun { try begin(at: time) }
            session?.receiveMalformed(log.takeMalformed())
            if let entry = log.take() { session?.receive(entry.line, at: entry.came) }
            // In between two records of the capture it is their pace that is kept.
            if limit != nil { continue }
            if isStopped {
                if signals.arePending { throw interruption }
                return
            }
            try keepPace(time)
        }
        session?.receiveMalformed(log.takeMalformed())
    }

    private func nextTime(in log: LocationLogFile) throws(Problem) -> WallTime? {
        var isInterrupted = false
        let time: WallTime?
        do throws(FileError) {
            time = try log.nextTime { descriptor in
                let isThere = signals.waitForInput(descriptor)
                isInterrupted = !isThere
                return isThere
            }
        } catch {
            throw .locationLog(error)
        }
        if isInterrupted { throw interruption }
        return time
    }

    /// Waits for more of the capture, which may take for ever where it comes through a pipe; `false` at its end.
    private mutating func readMore(_ file: inout CaptureFile) throws(Problem) -> Bool {
        // What came of the records so far does not wait for the next ones.
        try flush()
        guard waitForInput(file.descriptor) else {
            if signals.arePending { throw interruption }
            return false
        }
        do throws(CaptureFile.Problem) {
            return try file.readMore()
        } catch {
            throw .capture(error)
        }
    }

    private var interruption: Problem { options.output == .mqtt ? .stopped : .interrupted }

    /// When a record of that time is handed over; `nil` at full speed.
    private func due(_ time: WallTime) -> Instant? {
        switch options.pace {
        case .full: nil
        case .times(let speed): session.map { began + .seconds($0.elapsed(to: time).seconds / speed) }
        case .present: SystemClock.timebase.instant(time)
        }
    }

    /// Hands over what there is, at once or when it is due.
    private mutating func keepPace(_ time: WallTime) throws(Problem) {
        let due = due(time)
        let isOfThePast = options.pace == .present && due.map { $0 <= SystemClock.now } ?? false
        if let due, due > SystemClock.now {
            if options.pace == .present, !hasReachedPresent {
                hasReachedPresent = true
                logger.notice("the capture has reached the present")
            }
            try flush()
            while !isStopped, SystemClock.now < due { wait(for: due - SystemClock.now) }
        }
        session?.leavesOutLists = isOfThePast
        if let waiting = session?.waitingCount, waiting >= Self.batch || isPaced && !isOfThePast { try flush() }
    }

    private mutating func flush() throws(Problem) {
        session?.flush()
        if let error = session?.round.failure { throw .outbox(error) }
    }

    /// Nothing more is wanted.
    private var isStopped: Bool { printer?.isBroken == true || signals.arePending }

    /// Lets real time pass, in which a broker is delivered to.
    private func wait(for span: TimeSpan, wake: Int32 = -1) {
        session?.round.deliver(for: min(Self.longestWait, span), wake: wake)
    }

    /// Lets real time pass until there is something to read, or its end.
    ///
    /// - Returns: `false` where nothing more is wanted.
    private func waitForInput(_ descriptor: Int32) -> Bool {
        guard session != nil else { return signals.waitForInput(descriptor) }
        while !isStopped {
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&input, 1, 0) > 0 { return true }
            wait(for: Self.longestWait, wake: descriptor)
        }
        return false
    }

    /// The rest, and the goodbye, as long as it takes.
    private mutating func deliver() -> Problem? {
        guard let round = session?.round else { return nil }
        while !isStopped, !round.sink.isDelivered { wait(for: Self.longestWait) }
        let isDelivered = round.sink.isDelivered
        let fault = options.stateDirectory == nil ? nil : round.dispatcher.outbox.condition
        round.close()
        if let failure = printer?.failure { return .output(failure) }
        if let error = round.failure { return .outbox(error) }
        if let fault { return .unstored(fault) }
        return isDelivered ? nil : .stopped
    }

    /// The first record says when it all begins.
    private mutating func begin(at start: WallTime) throws(Problem) {
        let outbox = try openOutbox(at: start)
        for report in outbox.takeReports() { logger.warning("\(report)") }
        let (settings, output, logger) = (settings, options.output, logger)
        var printer: PrintingSink?
        session = ReplaySession(
            settings, outbox, newKey: pseudonymKey, at: start, hasLocationLog: log != nil,
            isPublished: output == .mqtt, logger: logger
        ) { dispatcher, recorded in
            if output == .mqtt {
                let link = BrokerLink(
                    settings: settings.broker, clientID: Publisher.clientID(dispatcher.composer.topics))
                return BrokerSink(
                    settings.broker, dispatcher, link: link, radio: .replay, clock: recorded,
                    outboxClock: { (SystemClock.now, SystemClock.wall) },
                    filters: [PeopleSharing(settings, isRecorded: true)?.filter].compactMap(\.self),
                    seed: .random(in: .min ... .max), logger: logger)
            }
            let sink = PrintingSink(dispatcher, since: recorded.now, stamp: .occurrence, isSilent: output == .none)
            printer = sink
            return sink
        }
        self.printer = printer
        hasBegun = true
    }

    private func openOutbox(at start: WallTime) throws(Problem) -> Outbox {
        let limits = OutboxLimits(settings.outbox)
        // What is printed is the same every time. Subscribers of a broker tell one outbox from another by its epoch.
        let generator: any RandomNumberGenerator =
            options.output == .mqtt ? SystemRandomNumberGenerator() : ReplaySession.NoRandomness()
        guard let directory = options.stateDirectory else {
            return Outbox(limits: limits, at: SystemClock.now, wallTime: start, generator: generator)
        }
        do throws(OutboxError) {
            return try Outbox(
                directory: directory, owner: GatewayIdentity(settings.identity.topics), limits: limits,
                at: SystemClock.now, wallTime: start, generator: generator)
        } catch {
            throw .outbox(error)
        }
    }

    /// The key for pseudonyms. A printed replay gives the same bytes every time, so its key is fixed: a reader of the capture has the addresses
    /// anyway. A replay to a broker has a secret key.
    private var pseudonymKey: [UInt8] {
        guard options.output != .mqtt else { return PseudonymKey.random() }
        return Array("replay of \(settings.identity.prefix)/\(settings.identity.site)".utf8)
    }

    private var locationSummary: String {
        guard settings.gateway.location != nil else { return "" }
        let fixes = session?.player.engine.figures.location?.fixes ?? FixCounts()
        // Without any time in it nothing of a log is played, and everything in it was in vain.
        let rejected = session == nil ? log?.unplayedCount ?? 0 : fixes.allRejected
        return " fixes=\(fixes.used) fixes_rejected=\(rejected)"
    }

    /// The closing line.
    var summary: String {
        let figures = session?.player.engine.figures
        let seconds = ((SystemClock.now - began).seconds * 1000).rounded() / 1000
        return "reports=\(figures?.reports ?? 0) ibeacons=\(figures?.beacons ?? 0) "
            + "rejected=\(figures?.rejects.total ?? 0) tracks=\(figures?.tracks ?? 0) "
            + "events=\(session?.round.dispatcher.eventCount ?? 0)\(locationSummary) seconds=\(seconds)"
    }
}
