/// The location services of one gateway: from receivers' reports to published places.
///
/// Each method is an event, and appends its output. The owner keeps the receiver on while `listens`, and calls `advance`
/// at the `deadline`.
package struct LocationServices: Sendable {
    private enum Updates {
        case standard(StandardService, AutomaticPause?)
        case significant(SignificantService)
    }

    private let settings: LocationSettings
    private var intake: FixIntake
    private var choice: ReceiverChoice
    private var updates: Updates
    private var track: DeferredTrack?
    private var watch: AvailabilityWatch
    private var use = ReceiverUse()
    private var published = LocationStatus(availability: .off, isPaused: false)
    /// The next time at which a configured place is published.
    private var fixedDue = Instant.distantFuture
    package private(set) var last: PlacedFix?
    /// The time until which a region or a request needs fixes, whatever the service needs; `nil` where none does.
    private var askedUntil: Instant?

    /// The interval at which a configured place is published to regions and requests.
    private static let fixedInterval = TimeSpan.seconds(1)

    /// - Parameter longestGap: the longest gap between two fixes that counts as time with fixes
    ///   (`unknown_state_after_s`).
    package init(_ settings: LocationSettings, longestGap: TimeSpan, at now: Instant) {
        self.settings = settings
        intake = FixIntake(desiredAccuracy_m: settings.desiredAccuracy_m, maxAge: settings.maxAge)
        choice = ReceiverChoice(maxAge: settings.maxAge)
        watch = AvailabilityWatch(maxAge: settings.maxAge)
        switch settings.service {
        case .standard:
            updates = .standard(
                StandardService(settings.standard),
                settings.pausing.map { AutomaticPause(activity: $0, longestGap: longestGap) })
        case .significant: updates = .significant(SignificantService(at: now))
        }
        track = settings.deferral.map { DeferredTrack(distance_m: $0.distance_m, timeout: $0.timeout) }
        if case .fixed = settings.source { fixedDue = now }
        published = status
    }

    // MARK: - Queries

    /// True if the receiver has to be on.
    var listens: Bool {
        guard case .gpsd = settings.source else { return false }
        if askedUntil != nil { return true }
        return switch updates {
        case .standard(_, let pause): pause?.receiverIsNeeded ?? true
        case .significant(let service): service.receiverIsNeeded
        }
    }

    package var status: LocationStatus {
        let availability: LocationAvailability =
            switch settings.source {
            case .none: .off
            case .fixed: .located
            case .gpsd: watch.availability
            }
        return LocationStatus(availability: availability, isPaused: isPaused)
    }

    private var isPaused: Bool {
        if case .standard(_, let pause?) = updates { pause.isPaused } else { false }
    }

    package func figures(at now: Instant) -> LocationFigures {
        LocationFigures(fixes: intake.counts, receiverOn: use.total(at: now))
    }

    var deadline: Instant {
        let service: Instant
        switch updates {
        case .standard(let standard, let pause):
            // While paused or deferred, no update is due by time.
            let update = isPaused || track != nil ? .distantFuture : standard.deadline
            service = min(update, pause?.deadline ?? .distantFuture)
        case .significant(let significant): service = significant.deadline
        }
        return min(service, track?.deadline ?? .distantFuture, watch.deadline, fixedDue, askedUntil ?? .distantFuture)
    }

    // MARK: - Events

    /// Takes a receiver's report. A report during a rest changes nothing: another client may keep the receiver on.
    /// Reports of receivers that are not chosen change nothing either.
    ///
    /// - Parameter clock: the gateway's time of day; `nil` while its clock is not set.
    package mutating func take(
        _ report: DeviceReport, at now: Instant, clock: WallTime?, outputs: inout [LocationOutput]
    ) {
        look(at: now, outputs: &outputs)
        defer { publishDue(at: now, outputs: &outputs) }
        guard listens, choice.take(report, at: now),
            let fix = try? intake.take(report.report, at: now, clock: clock)
        else { return }
        let age = clock.map { max($0 - fix.at, .zero) } ?? .zero
        let device = report.device.isEmpty ? nil : report.device
        use(PlacedFix(fix: fix, came: now, origin: .receiver(device: device, age: age)), outputs: &outputs)
    }

    /// Asks for fixes until a time, whatever the service needs: for an undecided circular region or a request.
    ///
    /// - Parameter end: `nil` where neither needs fixes any more.
    mutating func ask(until end: Instant?, at now: Instant, outputs: inout [LocationOutput]) {
        let end = end.flatMap { $0 > now ? $0 : nil }
        guard end != askedUntil else { return }
        let begins = askedUntil == nil
        askedUntil = end
        if case .fixed = settings.source, last != nil {
            if end == nil { fixedDue = .distantFuture } else if begins { fixedDue = now }
        }
        publishStatus(at: now, outputs: &outputs)
    }

    /// Counts input that could not be read as a report.
    package mutating func takeMalformed() { intake.countMalformed() }

    package mutating func lostConnection(at now: Instant, outputs: inout [LocationOutput]) {
        advance(to: now, outputs: &outputs)
        watch.lostConnection()
        publishStatus(at: now, outputs: &outputs)
    }

    /// Takes gpsd's list of receivers, by their paths.
    package mutating func found(devices: [String], at now: Instant, outputs: inout [LocationOutput]) {
        advance(to: now, outputs: &outputs)
        choice.keep { devices.contains($0) }
        watch.found(devices: devices.count, isListening: listens, at: now)
        publishStatus(at: now, outputs: &outputs)
    }

    package mutating func advance(to now: Instant, outputs: inout [LocationOutput]) {
        look(at: now, outputs: &outputs)
        publishDue(at: now, outputs: &outputs)
    }

    /// Begins and ends looks.
    private mutating func look(at now: Instant, outputs: inout [LocationOutput]) {
        if let askedUntil, now >= askedUntil { ask(until: nil, at: now, outputs: &outputs) }
        if now >= fixedDue { publishFixed(at: now, outputs: &outputs) }
        switch updates {
        case .standard(let standard, var pause):
            pause?.advance(to: now)
            updates = .standard(standard, pause)
        case .significant(var significant):
            significant.advance(to: now)
            updates = .significant(significant)
        }
    }

    /// Publishes due updates. A fix of this instant comes first, because it is what to report.
    private mutating func publishDue(at now: Instant, outputs: inout [LocationOutput]) {
        if case .standard(var standard, let pause) = updates, !isPaused, track == nil {
            let update = standard.advance(to: now)
            updates = .standard(standard, pause)
            if update != nil, let last { outputs.append(.update(last)) }
        }
        if let batch = track?.advance(to: now) { publish(batch, outputs: &outputs) }
        watch.advance(to: now)
        publishStatus(at: now, outputs: &outputs)
    }

    /// Publishes kept fixes, because the agent ends or is reloaded.
    mutating func stop(at now: Instant, outputs: inout [LocationOutput]) {
        advance(to: now, outputs: &outputs)
        if let batch = track?.stop() { publish(batch, outputs: &outputs) }
    }

    // MARK: - Use of a fix

    private mutating func use(_ placed: PlacedFix, outputs: inout [LocationOutput]) {
        let (fix, now) = (placed.fix, placed.came)
        last = placed
        watch.use(at: now)
        outputs.append(.used(placed))
        var isUpdate = false
        var change: AutomaticPause.Change?
        switch updates {
        case .standard(var standard, var pause):
            change = pause?.use(fix, at: now)
            if !(pause?.isPaused ?? false) { isUpdate = standard.use(fix, at: now) != nil }
            updates = .standard(standard, pause)
        case .significant(var significant):
            isUpdate = significant.use(fix, at: now) != nil
            updates = .significant(significant)
        }
        if change == .resumed {
            track?.resume()
            // Subscribers get the status before the place: that there are places again.
            publishStatus(at: now, outputs: &outputs)
        }
        keep(fix, at: now, outputs: &outputs)
        if change == .paused, let batch = track?.pause() { publish(batch, outputs: &outputs) }
        if isUpdate, track == nil { outputs.append(.update(placed)) }
    }

    private mutating func keep(_ fix: Fix, at now: Instant, outputs: inout [LocationOutput]) {
        guard let number = track?.count else { return }
        outputs.append(.kept(KeptFix(fix: fix, number: number)))
        if let batch = track?.keep(fix, at: now) { publish(batch, outputs: &outputs) }
    }

    /// Publishes a batch, together with the place of its last fix.
    private func publish(_ batch: TrackBatch, outputs: inout [LocationOutput]) {
        outputs.append(.track(batch))
        if let last, last.fix == batch.fixes.last { outputs.append(.update(last)) }
    }

    private mutating func publishFixed(at now: Instant, outputs: inout [LocationOutput]) {
        guard case .fixed(let coordinate, let accuracy_m) = settings.source else { return }
        let fix = Fix(at: .unixEpoch, coordinate: coordinate, horizontalAccuracy_m: accuracy_m)
        let placed = PlacedFix(fix: fix, came: now, origin: .configuration)
        // The place does not move and its message is retained, so it is published once.
        let isFirst = last == nil
        last = placed
        outputs.append(.used(placed))
        if isFirst { outputs.append(.update(placed)) }
        fixedDue = askedUntil != nil ? now + Self.fixedInterval : .distantFuture
    }

    private mutating func publishStatus(at now: Instant, outputs: inout [LocationOutput]) {
        watch.listen(listens, at: now)
        let status = status
        use.turn(on: listens && status.availability != .absent && status.availability != .noDevice, at: now)
        guard status != published else { return }
        published = status
        outputs.append(.status(status))
    }
}

/// The keys of `[location]` that the services use.
package struct LocationSettings: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// No source: the table exists, but location is turned off.
        case none
        case fixed(Coordinate, horizontalAccuracy_m: Double)
        case gpsd(host: String, port: UInt16)
    }

    /// The service that chooses updates. The raw value is the word in `config.toml` and in `location`.
    package enum Service: String, CaseIterable, Sendable {
        case standard
        case significant
    }

    /// The limits of a batch of deferred fixes.
    package struct Deferral: Hashable, Sendable {
        /// The distance travelled before a batch is published; 0 sets no limit. Metres.
        var distance_m: Double
        /// The longest wait of a batch's first fix; `zero` sets no limit.
        var timeout: TimeSpan
    }

    package var source: Source
    package var service: Service = .standard
    /// The largest radius of a used fix. Metres.
    package var desiredAccuracy_m: Double = 100
    var standard: StandardService.Settings
    /// The activity for automatic pauses; `nil` for none.
    package var pausing: Activity? = .other
    /// The deferral; `nil` where each update is published at once.
    package var deferral: Deferral?

    var maxAge: TimeSpan { standard.maxAge }
}
