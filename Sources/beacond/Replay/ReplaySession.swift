import Agent
import Core
import Logging

/// Turns a capture into messages to publish, with their times.
///
/// The capture's clock is the only one: `at` is the record's time, even where that clock was set.
struct ReplaySession {
    /// Two captures have only their own wall clocks in common, so stored times are read by those.
    private static let bootID: String? = nil
    /// Gives the same bits every time, so that two replays print the same epoch.
    struct NoRandomness: RandomNumberGenerator {
        mutating func next() -> UInt64 { 0 }
    }

    /// The longest pause in a capture for which `health` is published: a capture may jump by years where a clock was set.
    static let longestIdle = TimeSpan(microseconds: 3_600_000_000)

    private(set) var player: CapturePlayer
    let round: Round
    private let recorded: RecordedEngine
    private let start: Instant
    private let logger: Logger
    /// The time that the capture's clock stepped over where the recording broke off.
    private var steps = TimeSpan.zero
    /// The breaks that may still be logged: a damaged capture may have one before each record.
    private var breaksToLog = 20
    /// True if the messages go to a broker, with a new key of the pseudonyms each day.
    private let isPublished: Bool
    /// The end of the capture's present day.
    private var dayEnd: WallTime
    private var healthDue: Instant
    private var outputs: [GatewayOutput]
    /// True once the engine knows that the store counts people.
    private var isCountedByStore = false
    /// True if messages that are not kept, such as ranging, are left out: they say how things are, and this is the past.
    var leavesOutLists = false

    init(
        _ settings: Settings, _ outbox: Outbox, newKey: @autoclosure () -> [UInt8], at start: WallTime,
        hasLocationLog: Bool, isPublished: Bool, logger: Logger,
        to makeSink: (Dispatcher, RecordedEngine) -> any MessageSink
    ) {
        self.start = Instant(microseconds: start.microseconds)
        self.logger = logger
        self.isPublished = isPublished
        self.dayEnd = Self.dayEnd(start)
        self.healthDue = self.start + HealthReporter.interval
        let parts = AgentStart(
            settings, outbox, hearing: .capture(hasReceivers: hasLocationLog), at: self.start, .ofRecordings,
            bootID: Self.bootID, newKey: newKey(), logger: logger)
        player = CapturePlayer(parts.engine, at: start)
        outputs = parts.outputs
        recorded = RecordedEngine(
            at: player.clock.now, player.clock.timebase,
            people: isPublished ? PeopleSharing(settings, isRecorded: true) : nil)
        round = Round(
            recorded, parts.dispatcher, to: makeSink(parts.dispatcher, recorded), by: recorded,
            .replay(renewsKey: isPublished || parts.dispatcher.hasSiteKey), radio: .replay, logger: logger)
        round.begin()
    }

    /// Handles a record of the capture; one without an event only moves time.
    ///
    /// - Returns: `waitingCount`, because another call for it takes 30 instructions.
    @discardableResult
    mutating func receive(_ event: Span<UInt8>?, at time: WallTime) -> Int {
        if player.breaksOff(before: time) { breakOff(before: time) }
        if isPublished, time >= dayEnd { endDay(at: time) }
        publishHealth(before: player.clock.instant(time))
        if player.clock.isSetBack(time) { flush() }
        if let event {
            player.receive(event, at: time, outputs: &outputs)
        } else {
            player.elapse(to: time, outputs: &outputs)
        }
        return waitingCount
    }

    /// Ends what the recording before this record shows, because its clock steps by more than an hour.
    private mutating func breakOff(before time: WallTime) {
        let end = player.clock.now
        if breaksToLog > 0 {
            let (from, to) = (Timestamp.text(player.clock.timebase.wall(end)), Timestamp.text(time))
            let line =
                "the recording breaks off: its clock steps from \(from) to \(to); stays end at their last reports, and the time between is not covered"
            logger.warning("\(line)")
        }
        breaksToLog = max(0, breaksToLog - 1)
        player.breakOff(&outputs)
        flush()
        steps = steps + (player.clock.instant(time) - end)
    }

    /// Handles an entry of a log of receivers.
    mutating func receive(_ entry: LocationLog.Entry, at time: WallTime) {
        if time > player.clock.wall, player.breaksOff(before: time) { breakOff(before: time) }
        if isPublished, time >= dayEnd { endDay(at: time) }
        publishHealth(before: player.clock.instant(time))
        switch entry {
        case .report(let report): player.receive(report, at: time, outputs: &outputs)
        case .devices(let paths): player.receivers(paths, at: time, outputs: &outputs)
        }
    }

    /// Counts damaged lines of that log.
    mutating func receiveMalformed(_ count: Int) { for _ in 0..<count { player.receiveMalformedFix() } }

    /// Commits and publishes everything that came since the last call.
    mutating func flush() {
        if leavesOutLists { outputs.removeAll { $0.handling.commit == .never } }
        if outputs.isEmpty { return }
        (recorded.now, recorded.timebase) = (player.clock.now, player.clock.timebase)
        swap(&recorded.outputs, &outputs)
        round.turn()
        if recorded.isCountedByStore, !isCountedByStore {
            isCountedByStore = true
            player.storeCounts(&outputs)
        }
    }

    /// Ends a day: whatever belongs to it is published under its key.
    private mutating func endDay(at time: WallTime) {
        let (instant, midnight) = (player.clock.instant(time), player.clock.instant(dayEnd))
        // Whatever is due before midnight comes first, except in a gap too long for `health`.
        publishHealth(before: instant - player.clock.now > Self.longestIdle ? instant : midnight)
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

    /// The time from the first record to `time`, without the steps of a clock where the recording broke off.
    func elapsed(to time: WallTime) -> TimeSpan { player.clock.instant(time) - start - steps }

    /// The number of outputs that wait to be committed together.
    var waitingCount: Int { outputs.count }

    /// Ends time with the last record.
    mutating func finish() {
        player.advance(through: player.clock.now, outputs: &outputs)
        player.stop(&outputs)
        flush()
        (recorded.now, recorded.timebase) = (player.clock.now, player.clock.timebase)
        round.end()
    }

    private mutating func publishHealth(before instant: Instant) {
        if instant <= healthDue { return }
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

/// A capture file, record by record.
struct CaptureFile {
    private let file: InputFile
    private var reader = BTSnoopReader()
    private var buffer: [UInt8] = []
    private var position = 0

    static let pieceLength = 1 << 18

    init(path: String) throws(FileError) { file = try InputFile(path: path, mayBePipe: true) }

    /// The reason why reading ended before the end of the file.
    enum Problem: Error {
        case file(FileError)
        case capture(BTSnoopError)
    }

    /// For `poll`, to wait for more to read.
    var descriptor: Int32 { file.descriptor }

    /// Passes the next record that was read to `body`, with the octets of its event, if it has one.
    ///
    /// - Returns: `false` where more has to be read first.
    mutating func next(_ body: (BTSnoopReader.Record, Span<UInt8>) -> Void) throws(Problem) -> Bool {
        guard let record = try nextInBuffer() else { return false }
        body(record, buffer.span.extracting(record.event ?? 0..<0))
        return true
    }

    private mutating func nextInBuffer() throws(Problem) -> BTSnoopReader.Record? {
        // The reader and the position leave `self` while its buffer is lent as a span.
        var (reader, position) = (self.reader, self.position)
        do throws(BTSnoopError) {
            let record = try reader.next(buffer.span, from: &position)
            (self.reader, self.position) = (reader, position)
            return record
        } catch {
            throw .capture(error)
        }
    }

    /// Moves the unread rest to the front and reads the next piece; `false` at the end of the file.
    mutating func readMore() throws(Problem) -> Bool {
        let rest = buffer[position...]
        do throws(FileError) {
            buffer = try file.read(after: rest, count: Self.pieceLength)
        } catch {
            throw .file(error)
        }
        position = 0
        if buffer.count > rest.count { return true }
        do throws(BTSnoopError) {
            try reader.finish(remaining: buffer.count)
        } catch {
            throw .capture(error)
        }
        return false
    }
}
