/// A capture's clock, on which time never goes back, whatever the capture says.
package struct CaptureClock: Hashable, Sendable {
    /// The latest record's time.
    package internal(set) var now: Instant
    /// By how much the capture's clock was set back in all.
    private var setBack = TimeSpan.zero
    /// Records of several adapters are written a little out of order; what is later than this is a clock set back.
    private static let disorder = TimeSpan.seconds(1)

    init(at start: WallTime) { now = Instant(microseconds: start.microseconds) }

    /// A record's time on the engine's clock. A capture may jump back; time does not.
    package func instant(_ time: WallTime) -> Instant {
        max(now, Instant(microseconds: time.microseconds) + setBack)
    }

    /// Whether the capture's clock was set back before `time`. What happened until now is to be told by the clock as it
    /// was: by `timebase` before this record is taken in.
    package func isSetBack(_ time: WallTime) -> Bool {
        Instant(microseconds: time.microseconds) + setBack < now - Self.disorder
    }

    /// What the capture's clock shows: `synced`, because there is no better one.
    package var timebase: Timebase { Timebase(wallAtOrigin: .unixEpoch - setBack, isSynced: true) }

    /// The instant of a record, and from now on the clock as it shows it. `now` follows when everything due before is done.
    mutating func take(_ time: WallTime) -> Instant {
        if isSetBack(time) { setBack = now - Instant(microseconds: time.microseconds) }
        return instant(time)
    }
}

/// Plays a capture through the engine: the records' times are time, and there is no controller to probe, so silence
/// beyond the norm is blindness.
///
/// Instants count from the Unix epoch here, because the capture's own clock is the only one there is: stored times of an
/// earlier capture then mean the same in a later one. Where that clock was set back while the capture was written, time
/// goes on from where it stood, as it did in the shop, and `timebase` says what the capture's clock showed. Where it was
/// set forward, that can't be told from time that passed.
package struct CapturePlayer: Sendable {
    /// For its figures; time and reports go in through the player.
    package private(set) var engine: GatewayEngine
    private var liveness: LivenessMonitor
    package private(set) var clock: CaptureClock

    /// - Parameters:
    ///   - engine: made for the time of the first record, with a radio that hears and can't be asked.
    ///   - start: the time of the first record.
    package init(_ engine: GatewayEngine, at start: WallTime) {
        self.engine = engine
        self.clock = CaptureClock(at: start)
        self.liveness = LivenessMonitor(canProbe: false, at: clock.now)
        _ = liveness.resumed(at: clock.now)
    }

    /// Takes an event of the capture in.
    package mutating func receive(_ event: Span<UInt8>, at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = clock.take(time)
        watch(before: instant, outputs: &outputs)
        let isAdvertising = AdvertisingEvent.isAdvertising(event)
        if isAdvertising, let change = liveness.reportReceived(at: instant) {
            engine.liveness(change, at: instant, outputs: &outputs)
        }
        engine.receive(event, isAdvertising: isAdvertising, at: instant, outputs: &outputs)
        liveness.ordinarySilence = engine.ordinarySilence
        clock.now = instant
    }

    /// A receiver said where it is, at a time of the same clock. What comes a little behind the capture counts as coming now.
    package mutating func receive(_ report: DeviceReport, at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = pass(to: time, &outputs)
        // A log tells when its fixes came by nothing but their own times, so that none of them is old.
        engine.receive(report, at: instant, clock: nil, outputs: &outputs)
    }

    /// Which receivers there are, by their paths.
    package mutating func receivers(_ paths: [String], at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = pass(to: time, &outputs)
        engine.receivers(paths, at: instant, outputs: &outputs)
    }

    /// What came is no report.
    package mutating func receiveMalformedFix() { engine.receiveMalformedFix() }

    private mutating func pass(to time: WallTime, _ outputs: inout [GatewayOutput]) -> Instant {
        let instant = clock.instant(time)
        watch(before: instant, outputs: &outputs)
        clock.now = instant
        return instant
    }

    /// A record that holds no event only shows what time it is: everything due before comes to pass.
    package mutating func elapse(to time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = clock.take(time)
        watch(before: instant, outputs: &outputs)
        engine.advance(before: instant, outputs: &outputs)
        clock.now = instant
    }

    /// Lets time pass up to and including `instant`.
    package mutating func advance(through instant: Instant, outputs: inout [GatewayOutput]) {
        watch(before: instant + TimeSpan(microseconds: 1), outputs: &outputs)
        engine.advance(through: instant, outputs: &outputs)
        clock.now = max(clock.now, instant)
    }

    /// The capture ends: what waits is told, and the stays under way are stored, so that a later capture goes on from there.
    package mutating func stop(_ outputs: inout [GatewayOutput]) { engine.stop(&outputs) }

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
