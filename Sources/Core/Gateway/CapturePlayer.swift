/// A capture's clock. Its time never goes back, even if the capture's does.
package struct CaptureClock: Hashable, Sendable {
    /// The latest record's time.
    package internal(set) var now: Instant
    /// The sum by which the capture's clock was set back.
    private var setBack = TimeSpan.zero
    /// The tolerated disorder: records of several adapters are written a little out of order. A larger step back is a
    /// clock that was set back.
    private static let disorder = TimeSpan.seconds(1)

    init(at start: WallTime) { now = Instant(microseconds: start.microseconds) }

    /// Returns a record's time on the engine's clock, which never jumps back.
    package func instant(_ time: WallTime) -> Instant { max(now, Instant(microseconds: time.microseconds) + setBack) }

    /// Returns whether the capture's clock was set back before `time`. The caller then publishes everything up to now by
    /// the present `timebase`, before it takes this record.
    package func isSetBack(_ time: WallTime) -> Bool {
        Instant(microseconds: time.microseconds) + setBack < now - Self.disorder
    }

    /// Returns whether the recording breaks off before a record.
    func isBreak(_ time: WallTime) -> Bool {
        let instant = Instant(microseconds: time.microseconds) + setBack
        return instant > now + .recordingStep || instant < now - .recordingStep
    }

    /// The time of day by the capture's clock. It counts as `synced`, because there is no better clock.
    package var timebase: Timebase { Timebase(wallAtOrigin: .unixEpoch - setBack, isSynced: true) }

    /// The latest record's time of day.
    package var wall: WallTime { timebase.wall(now) }

    /// Returns the instant of a record, and follows the clock if it was set back. `now` is updated after earlier due
    /// work.
    mutating func take(_ time: WallTime) -> Instant {
        if isSetBack(time) { setBack = now - Instant(microseconds: time.microseconds) }
        return instant(time)
    }
}

/// Plays a capture through the engine. Time comes from the records. There is no controller to probe, so silence beyond
/// the norm is blindness.
///
/// Instants count from the Unix epoch, because the capture's clock is the only one. So stored times of an earlier
/// capture stay valid in a later one. Where that clock was set back during the capture, time goes on, and `timebase`
/// gives the time of day by the capture's clock. A clock set forward cannot be distinguished from time that passed, but for a step of more than an
/// hour. There the recording breaks off: stays end at their last reports, and the time is not covered.
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
    /// The blindness that coverage gives while no exit waits. A capture cannot be probed, and in sparse air a shorter silence is often only
    /// silence. Where a blindness holds back an exit, its time does not count as heard.
    static let publishedBlindness = TimeSpan.seconds(60)
    /// The time from which coverage gives the present blindness.
    private var publishFrom = Instant.distantFuture
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

    /// Ends the stays at their last reports, as if the radio had gone on hearing, and the covered time with the last record.
    package mutating func breakOff(_ outputs: inout [GatewayOutput]) {
        let end = clock.now
        if !isBlindnessPublished { outputs.append(.radio(.live(.stalled), at: blindSince ?? end)) }
        (isBlindnessPublished, blindSince, isBrokenOff) = (true, blindSince ?? end, true)
        engine.liveness(.live, at: end, outputs: &outputs)
        clock.now = end + .recordingStep
        engine.advance(through: clock.now, outputs: &outputs)
    }

    /// Returns the instant of a record.
    private mutating func take(_ time: WallTime, _ outputs: inout [GatewayOutput]) -> Instant {
        if breaksOff(before: time) { breakOff(&outputs) }
        isBrokenOff = false
        let instant = clock.take(time)
        if engine.countsPeople { engine.follow(clock.timebase) }
        return instant
    }

    /// Takes an event of the capture.
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
        liveness.ordinarySilence = engine.ordinarySilence
        clock.now = instant
    }

    /// Learns that the store counts the people of the recording from now on.
    package mutating func storeCounts(_ outputs: inout [GatewayOutput]) {
        engine.storeCounts(until: .distantFuture, at: clock.now, outputs: &outputs)
    }

    /// Takes a receiver's report, at a time of the capture's clock. A report slightly behind the capture counts as
    /// coming now.
    package mutating func receive(_ report: DeviceReport, at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = pass(to: time, &outputs)
        // Only its fixes date a receiver's log, so none of them is old.
        engine.receive(report, at: instant, clock: nil, outputs: &outputs)
    }

    /// Takes the list of receivers, by their paths.
    package mutating func receivers(_ paths: [String], at time: WallTime, outputs: inout [GatewayOutput]) {
        let instant = pass(to: time, &outputs)
        engine.receivers(paths, at: instant, outputs: &outputs)
    }

    /// Counts a malformed report.
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

    /// Takes a record without an event, which only gives the time. All earlier work is done.
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
        guard let blindSince, !isBlindnessPublished, publishFrom < limit else { return }
        isBlindnessPublished = true
        // The word of a live radio that sends no reports.
        outputs.append(.radio(.live(.stalled), at: blindSince))
    }

    private mutating func follow(_ change: RadioLiveness, at instant: Instant, outputs: inout [GatewayOutput]) {
        if case .blind(let since) = change, hasHeard {
            blindSince = blindSince ?? since
            publishFrom = min(since + Self.publishedBlindness, engine.nextExitWithoutBlindness)
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
