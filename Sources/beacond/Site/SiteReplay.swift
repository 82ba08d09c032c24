import Configuration
import Daemon
import Files
import Gateway
import HCI
import Logging
import Messages
import Outbox
import Site

/// Joins what several gateways printed, and says what the store would publish.
///
/// Lines are merged by their `t`, which is when they arrive; the files all start together. Of lines that arrive at once, those of
/// the file that was named first come first.
struct SiteReplay {
    /// What kept it from its end.
    enum Problem: Error {
        case file(FileError)
        case outbox(OutboxError)
        /// What was printed could not be written.
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
        var heads: [(t: Instant, head: PayloadHead)] = []
        for path in paths {
            let log = try orProblem { () throws(FileError) in try MessageLog(path: path) }
            logs.append(log)
            if let line = try peek(log),
                let head = try? GatewayNews(topic: line.topic, fields: line.payload, store: topics).head,
                head.isClockSynced
            {
                heads.append((line.t, head))
            }
        }
        let signals = StopSignals()
        let outbox = Outbox(
            limits: OutboxLimits(settings.outbox), at: SystemClock.now, wallTime: Self.timebase(heads).wall(.origin),
            generator: ReplaySession.NoRandomness())
        var session = SiteReplaySession(site, settings, topics, outbox, Self.timebase(heads), logger: logger)
        var sink = PrintingSink(isSilent: false, dispatcher: session.dispatcher, signals: signals)
        while let (log, line) = try first(of: logs), !sink.isStopped {
            log.take()
            lineCount += 1
            try orOutboxProblem { () throws(OutboxError) in try session.receive(line) }
            handOver(&session, to: &sink)
        }
        malformedCount = logs.reduce(0) { $0 + $1.malformedCount }
        try orOutboxProblem { () throws(OutboxError) in try session.finish() }
        handOver(&session, to: &sink)
        session.dispatcher.outbox.close()
        self.session = session
        if case .output(let error)? = sink.finish() { throw .output(error) }
    }

    /// The store's clock is that of its gateways: the middle one of what their first messages show, so that one that is
    /// wrong changes nothing. Of two it is the earlier one: then nothing counts as late because the other one is ahead.
    private static func timebase(_ heads: [(t: Instant, head: PayloadHead)]) -> Timebase {
        let origins = heads.map { $0.head.at - ($0.t - .origin) }.sorted()
        let middle = origins.isEmpty ? .unixEpoch : origins[(origins.count - 1) / 2]
        return Timebase(wallAtOrigin: middle, isSynced: !origins.isEmpty)
    }

    /// The log whose next line arrives first, and that line.
    private func first(of logs: [MessageLog]) throws(Problem) -> (MessageLog, MessageLog.Line)? {
        var first: (log: MessageLog, line: MessageLog.Line)?
        for log in logs {
            guard let line = try peek(log) else { continue }
            if first.map({ line.t < $0.line.t }) ?? true { first = (log, line) }
        }
        return first
    }

    private func peek(_ log: MessageLog) throws(Problem) -> MessageLog.Line? {
        try orProblem { () throws(FileError) in try log.peek() }
    }

    private func orProblem<Value>(_ work: () throws(FileError) -> Value) throws(Problem) -> Value {
        do throws(FileError) { return try work() } catch { throw .file(error) }
    }

    private func orOutboxProblem(_ work: () throws(OutboxError) -> Void) throws(Problem) {
        do throws(OutboxError) { try work() } catch { throw .outbox(error) }
    }

    private func handOver(_ session: inout SiteReplaySession, to sink: inout PrintingSink) {
        let items = session.takeItems()
        if !items.isEmpty { sink.take(items, start: .origin, session.timebase) }
    }

    /// The closing line.
    var summary: String {
        let seconds = ((SystemClock.now - began).seconds * 1000).rounded() / 1000
        let figures = session?.engine.figures
        return "messages=\(lineCount) gateways=\(session?.engine.gateways.all.count ?? 0) "
            + "malformed=\(malformedCount + Int(clamping: figures?.malformed ?? 0)) late=\(figures?.late ?? 0) "
            + "events=\(session?.dispatcher.eventCount ?? 0) seconds=\(seconds)"
    }
}
