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
    static let longestIdle = TimeSpan(microseconds: 3_600_000_000)
    /// How stored times are read, before the first record.
    static let initialTimebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)

    private(set) var player: CapturePlayer
    let round: Round
    private let recorded: RecordedEngine
    private let start: Instant
    /// Whether it goes to a broker, and has a new key of the pseudonyms with every day.
    private let isPublished: Bool
    /// Where the capture's present day ends.
    private var dayEnd: WallTime
    private var healthDue: Instant
    private var outputs: [GatewayOutput]
    /// Whether messages that are not kept, such as ranging, are left out: they say how things are, and this is the past.
    var leavesOutLists = false

    /// - Parameters:
    ///   - newKey: the secret for pseudonyms, where there is none yet.
    ///   - makeSink: where messages go; it gets the clock of the capture.
    init(
        _ settings: Settings, _ outbox: Outbox, newKey: @autoclosure () -> [UInt8], at start: WallTime,
        hasLocationLog: Bool, isPublished: Bool, logger: Logger,
        to makeSink: (Dispatcher, RecordedEngine) -> any MessageSink
    ) {
        self.start = Instant(microseconds: start.microseconds)
        self.isPublished = isPublished
        self.dayEnd = Self.dayEnd(start)
        self.healthDue = self.start + HealthReporter.interval
        let parts = AgentStart(
            settings, outbox, hearing: .capture(hasReceivers: hasLocationLog), at: self.start, Self.initialTimebase,
            bootID: Self.bootID,
            newKey: newKey(), logger: logger)
        player = CapturePlayer(parts.engine, at: start)
        outputs = parts.outputs
        recorded = RecordedEngine(at: player.clock.now, player.clock.timebase)
        round = Round(
            recorded, parts.dispatcher, to: makeSink(parts.dispatcher, recorded), by: recorded,
            .replay(renewsKey: isPublished || parts.dispatcher.hasSiteKey), radio: .replay, logger: logger)
        round.begin()
    }

    /// Takes a record of the capture in; one without an event only moves time.
    ///
    /// - Returns: `waitingCount`, because to ask for it anew takes 30 instructions.
    @discardableResult
    mutating func receive(_ event: Span<UInt8>?, at time: WallTime) -> Int {
        if isPublished, time >= dayEnd { endDay(at: time) }
        tellHealth(before: player.clock.instant(time))
        if player.clock.isSetBack(time) { flush() }
        if let event {
            player.receive(event, at: time, outputs: &outputs)
        } else {
            player.elapse(to: time, outputs: &outputs)
        }
        return waitingCount
    }

    /// Takes an entry of a log of receivers in.
    mutating func receive(_ entry: LocationLog.Entry, at time: WallTime) {
        if isPublished, time >= dayEnd { endDay(at: time) }
        tellHealth(before: player.clock.instant(time))
        switch entry {
        case .report(let report): player.receive(report, at: time, outputs: &outputs)
        case .devices(let paths): player.receivers(paths, at: time, outputs: &outputs)
        }
    }

    /// Damaged lines of it.
    mutating func receiveMalformed(_ count: Int) { for _ in 0..<count { player.receiveMalformedFix() } }

    /// Has what came together since the last time committed and handed over.
    mutating func flush() {
        if leavesOutLists { outputs.removeAll { $0.handling.commit == .never } }
        if outputs.isEmpty { return }
        (recorded.now, recorded.timebase) = (player.clock.now, player.clock.timebase)
        swap(&recorded.outputs, &outputs)
        round.turn()
    }

    /// What belongs to the day that is over is told under its key.
    private mutating func endDay(at time: WallTime) {
        let (instant, midnight) = (player.clock.instant(time), player.clock.instant(dayEnd))
        // What is due before midnight comes first, unless there is a gap that has no health at all.
        tellHealth(before: instant - player.clock.now > Self.longestIdle ? instant : midnight)
        player.advance(through: midnight - TimeSpan(microseconds: 1), outputs: &outputs)
        flush()
        dayEnd = Self.dayEnd(time)
        round.dispatcher.renewPseudonymKey(at: time, random: PseudonymKey.random)
    }

    private static func dayEnd(_ time: WallTime) -> WallTime {
        let day_us = TimeSpan.seconds(86_400).microseconds
        let into = time.microseconds % day_us
        return time + TimeSpan(microseconds: into < 0 ? -into : day_us - into)
    }

    /// How far `time` is from the first record.
    func elapsed(to time: WallTime) -> TimeSpan { player.clock.instant(time) - start }

    /// How much waits to be committed together.
    var waitingCount: Int { outputs.count }

    /// Time ends with the last record.
    mutating func finish() {
        player.advance(through: player.clock.now, outputs: &outputs)
        player.stop(&outputs)
        flush()
        (recorded.now, recorded.timebase) = (player.clock.now, player.clock.timebase)
        round.end()
    }

    private mutating func tellHealth(before instant: Instant) {
        if instant - player.clock.now > Self.longestIdle {
            healthDue = max(healthDue, instant)
            round.skipHealth(to: healthDue - HealthReporter.interval)
            return
        }
        while healthDue < instant {
            player.advance(through: healthDue, outputs: &outputs)
            flush()
            (recorded.now, recorded.timebase) = (healthDue, player.clock.timebase)
            recorded.figures = player.engine.figures
            round.endMinute()
            healthDue += HealthReporter.interval
        }
    }
}
