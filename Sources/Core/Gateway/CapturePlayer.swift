/// The clock of a capture that plays. Its instants never go back, even if the recorder's clock does.
package struct CaptureClock: Hashable, Sendable {
    /// The instant that playing has reached: of the latest record, or later.
    package internal(set) var now: Instant
    /// The sum by which the recorder's clock was set back.
    private var setBack = TimeSpan.zero
    /// The tolerated disorder: records of several adapters are written a little out of order. A larger step back is a
    /// clock that was set back.
    private static let disorder = TimeSpan.seconds(1)

    init(at start: WallTime) { now = Instant(microseconds: start.microseconds) }

    /// Returns a record's time on the engine's clock, which never jumps back.
    package func instant(_ time: WallTime) -> Instant { max(now, Instant(microseconds: time.microseconds) + setBack) }

    /// Returns whether the recorder's clock was set back before `time`. The caller then publishes everything up to now by
    /// the present `timebase`, before it takes this record.
    package func isSetBack(_ time: WallTime) -> Bool {
        Instant(microseconds: time.microseconds) + setBack < now - Self.disorder
    }

    /// Returns whether the recording breaks off before a record: its time is more than an hour later or earlier.
    func isBreak(_ time: WallTime) -> Bool {
        let instant = Instant(microseconds: time.microseconds) + setBack
        return instant > now + .recordingStep || instant < now - .recordingStep
    }

    /// The time of day by the recorder's clock. It counts as `synced`, because there is no better clock.
    package var timebase: Timebase { Timebase(wallAtOrigin: .unixEpoch - setBack, isSynced: true) }

    /// The latest record's time of day.
    package var wall: WallTime { timebase.wall(now) }

    /// Returns the instant of a record, and follows the recorder's clock if it was set back. The caller sets `now`, after the work that is due
    /// before.
    mutating func take(_ time: WallTime) -> Instant {
        if isSetBack(time) { setBack = now - Instant(microseconds: time.microseconds) }
        return instant(time)
    }
}

/// Plays a capture through the engine. Time comes from the records. There is no controller to probe, so silence beyond
/// the norm is blindness.
///
/// Instants count from the Unix epoch, because the recorder's clock is the only one. So stored times of an earlier
/// capture stay valid in a later one. A smaller step back is a clock that was set back: time goes on, and `timebase` gives the time of day. A
/// smaller step forward is time that passed. At a step of more than an hour, in either direction, the recording breaks off: stays end at their
/// last reports, and the time is not covered.
package struct CapturePlayer: Sendable {
    /// The engine, for its figures. Time and reports go in through the player.
    package private(set) var engine: GatewayEngine
    private var liveness: LivenessMonitor
    package private(set) var clock: CaptureClock
    /// The begin of the present blindness; `nil` while the radio hears, and before its first report.
    private var blindSince: Instant?
    /// The outputs say that the radio is blind.
    private var isBlindnessPublished = false
    private var hasHeard = false
    /// The time after which a blindness is published. A capture cannot be probed, and with few devices near a shorter silence is usual. It is
    /// published sooner where it holds back an exit, because that time must not count as heard.
    static let blindnessDelay = TimeSpan.seconds(60)
    /// The time at which the present blindness is published, as from `blindSince`.
    private var blindnessDue = Instant.distantFuture
    /// The recording broke off, and its next record has not been taken yet.
    private var isBrokenOff = false

    /// - Parameters:
    /// - engine: an engine made for the time of the first record, with a radio that hears and cannot be probed.
    /// - start: the time of the first record.
    package init(_ engine: GatewayEngine, at start: WallTime) {
        self.engine = engine
        self.clock = CaptureClock(at: start)
        self.liveness = LivenessMonitor(canProbe: false, at: clock.now)
        _ = liveness.resumed(at: clock.now)
    }

    /// Returns whether the recording breaks off before a record. The caller then publishes `breakOff` by the present `timebase`, before it takes
    /// this record.
    package func breaksOff(before time: WallTime) -> Bool { !isBrokenOff && clock.isBreak(time) }

    /// Ends the recording at a break. The covered time ends with the last record, or where a blindness began. For the engine the radio goes on
    /// hearing for an hour, in which each stay ends at its last report.
    package mutating func breakOff(_ outputs: inout [GatewayOutput]) {
        let end = clock.now
        if !isBlindnessPublished { outputs.append(.radio(.live(.stalled), at: blindSince ?? end)) }
        (isBlindnessPublished, blindSince, isBrokenOff) = (true, blindSince ?? end, true)
        engine.liveness(.live, at: end, outputs: &outputs)
        clock.now = end + .recordingStep
        engine.advance(through: clock.now, outputs: &outputs)
    }

    /// Begins a record: ends the recording at a break, follows a clock that was set back, and returns the instant.
    private mutating func take(_ time: WallTime, _ outputs: inout [GatewayOutput]) -> Instant {
        if breaksOff(before: time) { breakOff(&outputs) }
        isBrokenOff = false
        let instant = clock.take(time)
        if engine.countsPeople { engine.follow(clock.timebase) }
        return instant
    }

    package mutating func receive(_ event: Span<UInt8>, at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = take(time, &outputs)
        watch(before: instant, outputs: &outputs)
        let isAdvertising = AdvertisingEvent.isAdvertising(event)
        if isAdvertising {
            if let change = liveness.reportReceived(at: instant) {
                follow(change, at: instant, outputs: &outputs)
            }
            hasHeard = true
        }
        engine.receive(event, isAdvertising: isAdvertising, at: instant, outputs: &outputs)
        liveness.ordinarySilence = engine.presence.tracker.ordinarySilence
        clock.now = instant
    }

    /// Ends the gateway's own counts of people: the store counts them from now on.
    package mutating func storeCounts(_ outputs: inout [GatewayOutput]) {
        engine.storeCounts(until: .distantFuture, at: clock.now, outputs: &outputs)
    }

    /// Takes a receiver's report, at a time of the capture's clock. A report slightly behind the capture counts as
    /// coming now.
    package mutating func receive(_ report: DeviceReport, at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = pass(to: time, &outputs)
        // Without a clock no fix is too old: a receiver's log has no other times than those of its fixes.
        engine.receive(report, at: instant, clock: nil, outputs: &outputs)
    }

    /// Takes the list of receivers, by their paths.
    package mutating func receivers(_ paths: [String], at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = pass(to: time, &outputs)
        engine.receivers(paths, at: instant, outputs: &outputs)
    }

    package mutating func receiveMalformedFix() { engine.receiveMalformedFix() }

    private mutating func pass(to time: WallTime, _ outputs: inout [GatewayOutput]) -> Instant {
        // A report behind the capture does not set its clock back.
        if time > clock.wall, breaksOff(before: time) { breakOff(&outputs) }
        isBrokenOff = false
        let instant = clock.instant(time)
        watch(before: instant, outputs: &outputs)
        clock.now = instant
        return instant
    }

    /// Takes a record without an event, which only gives the time, and does all work that is due before.
    package mutating func elapse(to time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = take(time, &outputs)
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

    /// Ends the capture. Waiting outputs are published and open stays are stored, so that a later capture can continue.
    package mutating func stop(_ outputs: inout [GatewayOutput]) { engine.stop(&outputs) }

    /// Checks the silence in between, so that blindness begins when a live radio would detect it.
    private mutating func watch(before limit: Instant, outputs: inout [GatewayOutput]) {
        while liveness.nextDeadline < limit {
            let due = liveness.nextDeadline
            if let change = liveness.tick(at: due).announcement {
                follow(change, at: due, outputs: &outputs)
            }
        }
        guard let blindSince, !isBlindnessPublished, blindnessDue < limit else { return }
        isBlindnessPublished = true
        // As a live radio that sends no reports is published.
        outputs.append(.radio(.live(.stalled), at: blindSince))
    }

    private mutating func follow(_ change: RadioLiveness, at instant: Instant, outputs: inout [GatewayOutput]) {
        if case .blind(let since) = change, hasHeard {
            blindSince = blindSince ?? since
            blindnessDue = min(since + Self.blindnessDelay, engine.presence.monitor.nextExitWithoutBlindness)
        } else {
            blindSince = nil
        }
        if isBlindnessPublished, blindSince == nil {
            isBlindnessPublished = false
            outputs.append(.radio(.replay, at: instant))
        }
        engine.liveness(change, at: instant, outputs: &outputs)
    }
}
