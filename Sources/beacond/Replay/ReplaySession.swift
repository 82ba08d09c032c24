import Configuration
import Gateway
import HCI
import Messages
import Regions

/// Turns a capture into the messages that would have been published, with the time of each.
///
/// The capture's clock is the only one: `at` is the record's time, and instants count from the Unix epoch.
struct ReplaySession {
    /// A message and when it is due.
    struct Timed {
        var at: Instant
        var message: Message
    }

    /// From one `health` to the next.
    static let healthInterval = TimeSpan.seconds(60)
    /// Without records for longer than this no `health` is made: a capture may jump by years where a clock was set.
    static let longestIdle = TimeSpan.seconds(3600)
    private static let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)

    private(set) var player: CapturePlayer
    private var ledger: EventLedger
    private var healthDue: Instant
    private var reportsAtLastHealth: UInt64 = 0
    /// Events numbered so far.
    private(set) var eventCount = 0
    let start: Instant
    /// Filled by every verb; the caller takes it.
    var messages: [Timed] = []
    var failures: [RegionMonitoringFailure] = []

    init(_ settings: Settings, composer: MessageComposer, at start: WallTime) {
        var outputs: [GatewayOutput] = []
        self.start = Instant(microseconds: start.microseconds)
        self.ledger = EventLedger(composer)
        self.healthDue = self.start + Self.healthInterval
        self.player = CapturePlayer(settings, restoring: [], at: start, outputs: &outputs)
        messages.append(status(isOnline: true))
        take(outputs)
    }

    /// Takes a record of the capture in; one without an event only moves time.
    mutating func receive(_ event: Span<UInt8>?, at time: WallTime) {
        let instant = player.instant(time)
        makeHealth(before: instant)
        var outputs: [GatewayOutput] = []
        if let event { player.receive(event, at: time, outputs: &outputs) }
        take(outputs)
    }

    /// Time ends with the last record.
    mutating func finish() {
        var outputs: [GatewayOutput] = []
        player.advance(through: player.now, outputs: &outputs)
        take(outputs)
        messages.append(status(isOnline: false))
    }

    private func status(isOnline: Bool) -> Timed {
        let message = ledger.composer.status(isOnline: isOnline, radio: .replay, at: player.now, Self.timebase)
        return Timed(at: player.now, message: message)
    }

    private mutating func take(_ outputs: [GatewayOutput]) {
        for output in outputs {
            switch output {
            case .transition(let transition):
                let entry = ledger.enter(transition, Self.timebase)
                if let event = entry.event {
                    eventCount += 1
                    messages.append(Timed(at: transition.at, message: event))
                }
                messages.append(Timed(at: transition.at, message: entry.state))
            case .ranging(let report):
                messages.append(Timed(at: report.at, message: ledger.composer.ranging(report, Self.timebase)))
            case .failure(let failure):
                failures.append(failure)
            }
        }
    }

    private mutating func makeHealth(before instant: Instant) {
        if instant - player.now > Self.longestIdle {
            healthDue = max(healthDue, instant)
            return
        }
        while healthDue < instant {
            var outputs: [GatewayOutput] = []
            player.advance(through: healthDue, outputs: &outputs)
            take(outputs)
            messages.append(Timed(at: healthDue, message: health()))
            healthDue += Self.healthInterval
        }
    }

    private mutating func health() -> Message {
        let figures = player.engine.figures
        let reports = figures.reports - reportsAtLastHealth
        reportsAtLastHealth = figures.reports
        let report = HealthReport(
            reportsPerSecond: Double(reports) / Self.healthInterval.seconds, rejects: figures.rejects,
            tracks: figures.listedTracks, instances: figures.instances, queueDepth: 0,
            drops: HealthDrops.list(figures), uptime_s: (healthDue - start).seconds, process: nil, outbox: "")
        return ledger.composer.health(report, at: healthDue, Self.timebase)
    }
}
