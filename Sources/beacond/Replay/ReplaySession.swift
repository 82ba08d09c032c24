import Agent
import Core
import Logging

/// Turns a capture into the messages that are to be published, with the time of each.
///
/// The capture's clock is the only one: `at` is the record's time, whatever was done to that clock.
struct ReplaySession {
    /// The capture's own clock is all that one capture has in common with the next: stored times are what it showed.
    private static let bootID: String? = nil
    /// The same every time, or what two replays print would differ in its epoch.
    struct NoRandomness: RandomNumberGenerator {
        mutating func next() -> UInt64 { 0 }
    }

    /// Without records for longer than this no `health` is made: a capture may jump by years where a clock was set.
    static let longestIdle = TimeSpan.seconds(3600)
    /// How stored times are read, before the first record.
    static let initialTimebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)

    private(set) var player: CapturePlayer
    let dispatcher: Dispatcher
    let start: Instant
    /// Whether it goes to a broker. What is printed is the same every time, so `health` leaves out the outbox, which depends
    /// on its disk, and the key of the pseudonyms stays; what is published has a new one every day, as `run` has.
    private let isPublished: Bool
    /// Where the capture's present day ends.
    private var dayEnd: WallTime
    private var healthDue: Instant
    private var reporter: HealthReporter
    private var outputs: [GatewayOutput] = []
    /// Filled by every verb; the caller takes it.
    var items: [Dispatcher.Dispatched] = []

    /// - Parameter newKey: the secret for pseudonyms, where there is none yet.
    init(
        _ settings: Settings, _ outbox: Outbox, newKey: @autoclosure () -> [UInt8], at start: WallTime,
        hasLocationLog: Bool, isPublished: Bool, logger: Logger
    ) {
        self.start = Instant(microseconds: start.microseconds)
        self.isPublished = isPublished
        self.dayEnd = Self.dayEnd(start)
        self.healthDue = self.start + HealthReporter.interval
        self.reporter = HealthReporter(at: self.start)
        let parts = AgentStart(
            settings, outbox, hearing: .capture(hasReceivers: hasLocationLog), at: self.start, Self.initialTimebase,
            bootID: Self.bootID,
            newKey: newKey(), logger: logger)
        player = CapturePlayer(parts.engine, at: start)
        outputs = parts.outputs
        dispatcher = parts.dispatcher
        sayStatus(isOnline: true)
        say(dispatcher.clearances)
        do throws(OutboxError) {
            items += try dispatcher.introduce(at: player.clock.now, player.clock.timebase)
        } catch {
            logger.error("\(error)")
        }
        say(dispatcher.formerClearances)
    }

    /// Takes a record of the capture in; one without an event only moves time.
    ///
    /// - Returns: `waitingCount`, because to ask for it anew takes 30 instructions.
    @discardableResult
    mutating func receive(_ event: Span<UInt8>?, at time: WallTime) throws(OutboxError) -> Int {
        if isPublished, time >= dayEnd { try endDay(at: time) }
        try makeHealth(before: player.clock.instant(time))
        if player.clock.isSetBack(time) { try flush() }
        if let event {
            player.receive(event, at: time, outputs: &outputs)
        } else {
            player.elapse(to: time, outputs: &outputs)
        }
        return waitingCount
    }

    /// Takes an entry of a log of receivers in.
    mutating func receive(_ entry: LocationLog.Entry, at time: WallTime) throws(OutboxError) {
        if isPublished, time >= dayEnd { try endDay(at: time) }
        try makeHealth(before: player.clock.instant(time))
        switch entry {
        case .report(let report): player.receive(report, at: time, outputs: &outputs)
        case .devices(let paths): player.receivers(paths, at: time, outputs: &outputs)
        }
    }

    /// Damaged lines of it.
    mutating func receiveMalformed(_ count: Int) { for _ in 0..<count { player.receiveMalformedFix() } }

    /// Commits what came together since the last time and appends what to publish.
    mutating func flush() throws(OutboxError) {
        if outputs.isEmpty { return }
        if isPublished || dispatcher.hasSiteKey { renewKey(at: player.clock.timebase.wall(player.clock.now)) }
        items += try dispatcher.dispatch(outputs, player.clock.timebase)
        outputs.removeAll(keepingCapacity: true)
    }

    /// What belongs to the day that is over is told under its key.
    private mutating func endDay(at time: WallTime) throws(OutboxError) {
        let (instant, midnight) = (player.clock.instant(time), player.clock.instant(dayEnd))
        // What is due before midnight comes first, unless there is a gap that has no health at all.
        try makeHealth(before: instant - player.clock.now > Self.longestIdle ? instant : midnight)
        player.advance(through: midnight - TimeSpan(microseconds: 1), outputs: &outputs)
        try flush()
        dayEnd = Self.dayEnd(time)
        renewKey(at: time)
    }

    private func renewKey(at time: WallTime) {
        dispatcher.renewPseudonymKey(at: time, random: PseudonymKey.random)
    }

    private static func dayEnd(_ time: WallTime) -> WallTime {
        let day_us = TimeSpan.seconds(86_400).microseconds
        let into = time.microseconds % day_us
        return time + TimeSpan(microseconds: into < 0 ? -into : day_us - into)
    }

    /// How far `time` is from the first record.
    func elapsed(to time: WallTime) -> TimeSpan { player.clock.instant(time) - start }

    /// The items since the last call, the first instant, and the timebase by which they are told; `nil` where there are none.
    mutating func takeItems() -> (items: [Dispatcher.Dispatched], start: Instant, timebase: Timebase)? {
        if items.isEmpty { return nil }
        defer { items = [] }
        return (items, start, player.clock.timebase)
    }

    /// How much waits to be committed together, or to be handed on.
    var waitingCount: Int { outputs.count + items.count }

    /// Time ends with the last record.
    mutating func finish() throws(OutboxError) {
        player.advance(through: player.clock.now, outputs: &outputs)
        player.stop(&outputs)
        try flush()
        items += try dispatcher.endCoverage(at: player.clock.now, player.clock.timebase)
        sayStatus(isOnline: false)
    }

    private mutating func say(_ messages: [Message]) {
        for message in messages { items.append(.init(at: player.clock.now, content: .message(message))) }
    }

    private mutating func sayStatus(isOnline: Bool) {
        let message = dispatcher.status(isOnline: isOnline, radio: .replay, at: player.clock.now, player.clock.timebase)
        items.append(Dispatcher.Dispatched(at: player.clock.now, content: .message(message)))
    }

    private mutating func makeHealth(before instant: Instant) throws(OutboxError) {
        if instant - player.clock.now > Self.longestIdle {
            healthDue = max(healthDue, instant)
            reporter.skip(to: healthDue - HealthReporter.interval)
            return
        }
        while healthDue < instant {
            player.advance(through: healthDue, outputs: &outputs)
            try flush()
            items += try dispatcher.tellCoverage(at: healthDue, player.clock.timebase)
            items.append(Dispatcher.Dispatched(at: healthDue, content: .message(health())))
            healthDue += HealthReporter.interval
        }
    }

    private mutating func health() -> Message {
        reporter.note(player.engine.figures)
        let report = reporter.report(isPublished ? dispatcher.outbox.health : nil, at: healthDue)
        return dispatcher.composer.health(report, at: healthDue, player.clock.timebase)
    }
}
