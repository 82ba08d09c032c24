import Agent
import Core
import Logging

/// Joins what several gateways printed, and says what the store would publish.
///
/// Lines are merged by their arrival: `t` counts from the beginning of its file, which the gateway's clock dates. A file without a synced
/// clock begins with the first of the others. Of lines that arrive at once, those of the file that was named first come first.
struct SiteReplay {
    /// The reason why a replay did not reach its end.
    enum Problem: Error {
        case file(FileError)
        case outbox(OutboxError)
        /// Standard output can't be written.
        case output(FileError)
    }

    private let site: SiteSettings
    private let settings: Settings
    private let topics: TopicTree
    private let logger: Logger
    private let began = SystemClock.now
    private var session: SiteReplaySession?
    private var lineCount = 0
    private var malformedCount = 0

    init(_ site: SiteSettings, _ settings: Settings, logger: Logger) {
        self.site = site
        self.settings = settings
        self.logger = logger
        topics = settings.topics(of: site)
    }

    /// Plays the files to their ends, and returns what was wrong.
    mutating func run(_ paths: [String]) -> Problem? {
        do throws(Problem) {
            try play(paths)
            return nil
        } catch {
            return error
        }
    }

    private mutating func play(_ paths: [String]) throws(Problem) {
        var logs: [MessageLog] = []
        var beginnings: [WallTime?] = []
        for path in paths {
            let log = try orProblem { () throws(FileError) in try MessageLog(path: path) }
            logs.append(log)
            beginnings.append(try beginning(of: path, log))
        }
        let earliest = beginnings.compactMap(\.self).min()
        for (log, beginning) in zip(logs, beginnings) {
            if let earliest, let beginning { log.delay = beginning - earliest }
        }
        let timebase = Timebase(wallAtOrigin: earliest ?? .unixEpoch, isSynced: earliest != nil)
        let signals = StopSignals()
        let outbox = Outbox(
            limits: OutboxLimits(settings.outbox), at: SystemClock.now, wallTime: timebase.wall(.origin),
            generator: ReplaySession.NoRandomness())
        var printer: PrintingSink?
        var session = SiteReplaySession(site, settings, topics, outbox, timebase, logger: logger) { dispatcher in
            let sink = PrintingSink(dispatcher, since: .origin, stamp: .publishing)
            printer = sink
            return sink
        }
        while let log = try first(of: logs), !signals.arePending, printer?.isBroken != true {
            guard let line = try orProblem({ () throws(FileError) in try log.take() }) else { continue }
            lineCount += 1
            session.receive(line)
        }
        malformedCount = logs.reduce(0) { $0 + $1.malformedCount }
        session.finish()
        self.session = session
        if let error = session.round.failure { throw .outbox(error) }
        if let error = printer?.failure { throw .output(error) }
    }

    /// Lines of a file that are looked at for its clock.
    private static let clockLines = 256

    /// The time of a gateway's clock at the beginning of its file; `nil` without messages with a synced clock.
    ///
    /// No message comes before the time that it shows, so it is the latest time that any of the first lines shows. Of a pipe only the first
    /// line can be looked at.
    private func beginning(of path: String, _ log: MessageLog) throws(Problem) -> WallTime? {
        let isPipe = path == "-"
        let lines = isPipe ? log : try orProblem { () throws(FileError) in try MessageLog(path: path) }
        var latest: WallTime?
        for _ in 0..<(isPipe ? 1 : Self.clockLines) {
            guard let line = try orProblem({ () throws(FileError) in try isPipe ? log.peek() : lines.take() }) else {
                continue
            }
            guard let message = try? GatewayMessage(topic: line.topic, fields: line.payload, store: topics),
                let head = message.head, head.isClockSynced
            else { continue }
            let origin = head.at - (line.t - .origin)
            latest = max(latest ?? origin, origin)
        }
        return latest
    }

    /// The log whose next line arrives first.
    private func first(of logs: [MessageLog]) throws(Problem) -> MessageLog? {
        var first: (log: MessageLog, t: Instant)?
        for log in logs {
            guard let t = try orProblem({ () throws(FileError) in try log.nextTime() }) else { continue }
            if first.map({ t < $0.t }) ?? true { first = (log, t) }
        }
        return first?.log
    }

    private func orProblem<Value>(_ work: () throws(FileError) -> Value) throws(Problem) -> Value {
        do throws(FileError) { return try work() } catch { throw .file(error) }
    }

    /// True if any line was read.
    var hasBegun: Bool { lineCount > 0 }

    /// The closing line.
    var summary: String {
        let seconds = ((SystemClock.now - began).seconds * 1000).rounded() / 1000
        let figures = session?.engine.figures
        return "messages=\(lineCount) gateways=\(session?.engine.gateways.all.count ?? 0) "
            + "malformed=\(malformedCount + Int(clamping: figures?.malformed ?? 0)) late=\(figures?.late ?? 0) "
            + "events=\(session?.round.dispatcher.eventCount ?? 0) seconds=\(seconds)"
    }
}
