public import Configuration
public import HCI
public import Regions

/// Plays a capture through the engine: the records' times are time, and there is no controller to probe, so silence
/// beyond the norm is blindness.
///
/// Instants count from the Unix epoch here, because the capture's own clock is the only one there is: stored times of an
/// earlier capture then mean the same in a later one.
public struct CapturePlayer: Sendable {
    /// For its figures; time and reports go in through the player.
    public private(set) var engine: GatewayEngine
    private var liveness: LivenessMonitor
    /// The latest record's time; it never goes back, whatever the capture says.
    public private(set) var now: Instant

    /// - Parameter start: the time of the first record.
    public init(
        _ settings: Settings, restoring records: [RegionRecord], at start: WallTime, outputs: inout [GatewayOutput]
    ) {
        self.now = Instant(microseconds: start.microseconds)
        self.liveness = LivenessMonitor(canProbe: false, at: now)
        _ = liveness.resumed(at: now)
        self.engine = GatewayEngine(
            settings, restoring: records, radioSees: true, at: now, outputs: &outputs)
    }

    /// A record's time on the engine's clock. A capture may jump back; time does not.
    public func instant(_ time: WallTime) -> Instant {
        max(now, Instant(microseconds: time.microseconds))
    }

    /// Takes an event of the capture in.
    public mutating func receive(_ event: Span<UInt8>, at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = instant(time)
        watch(before: instant, outputs: &outputs)
        if AdvertisingEvent.isAdvertising(event), let change = liveness.reportReceived(at: instant) {
            engine.liveness(change, at: instant, outputs: &outputs)
        }
        engine.receive(event, at: instant, outputs: &outputs)
        now = instant
    }

    /// A record that holds no event only shows what time it is: everything due before comes to pass.
    public mutating func elapse(to time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = instant(time)
        watch(before: instant, outputs: &outputs)
        engine.advance(before: instant, outputs: &outputs)
        now = instant
    }

    /// Lets time pass up to and including `instant`.
    public mutating func advance(through instant: Instant, outputs: inout [GatewayOutput]) {
        watch(before: instant + TimeSpan(microseconds: 1), outputs: &outputs)
        engine.advance(through: instant, outputs: &outputs)
        now = max(now, instant)
    }

    /// The silence is looked at in between, so that blindness begins when it would be noticed.
    private mutating func watch(before limit: Instant, outputs: inout [GatewayOutput]) {
        while liveness.nextDeadline < limit {
            let due = liveness.nextDeadline
            if let change = liveness.tick(at: due).announcement {
                engine.liveness(change, at: due, outputs: &outputs)
            }
        }
    }
}
