/// The location services of one gateway: from receivers' reports to published places.
///
/// Each method is an event, and appends its news. The owner keeps the receiver on while `listens`, and calls `advance`
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
    private var told = LocationStatus(availability: .off, isPaused: false)
    /// The next time at which a configured place is told.
    private var fixedDue = Instant.distantFuture
    /// The last used fix.
    package private(set) var last: PlacedFix?
    /// The time until which a region or a request needs fixes, whatever the service needs; `nil` where none does.
    private var askedUntil: Instant?

    /// The interval at which a configured place is told to regions and requests.
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
        told = status
    }

    // MARK: - Queries

    /// Whether the receiver has to be on.
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

    /// The time of the next `advance`.
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
        _ report: DeviceReport, at now: Instant, clock: WallTime?, news: inout [LocationNews]
    ) {
        look(at: now, news: &news)
        defer { tellDue(at: now, news: &news) }
        guard listens, choice.take(report, at: now) != .passedOver,
            let fix = try? intake.take(report.report, at: now, clock: clock)
        else { return }
        let age = clock.map { max($0 - fix.at, .zero) } ?? .zero
        let device = report.device.isEmpty ? nil : report.device
        use(PlacedFix(fix, came: now, origin: .receiver(device: device, age: age)), news: &news)
    }

    /// Asks for fixes until a time, whatever the service needs: for an undecided circular region or a request.
    ///
    /// - Parameter end: `nil` where neither needs fixes any more.
    mutating func ask(until end: Instant?, at now: Instant, news: inout [LocationNews]) {
        let end = end.flatMap { $0 > now ? $0 : nil }
        guard end != askedUntil else { return }
        let begins = askedUntil == nil
        askedUntil = end
        if case .fixed = settings.source, last != nil {
            if end == nil { fixedDue = .distantFuture } else if begins { fixedDue = now }
        }
        tellStatus(at: now, news: &news)
    }

    /// Counts input that could not be read as a report.
    package mutating func takeMalformed() { intake.countMalformed() }

    /// Takes the loss of the connection to gpsd.
    package mutating func lostConnection(at now: Instant, news: inout [LocationNews]) {
        advance(to: now, news: &news)
        watch.lostConnection()
        tellStatus(at: now, news: &news)
    }

    /// Takes gpsd's list of receivers, by their paths.
    package mutating func found(devices: [String], at now: Instant, news: inout [LocationNews]) {
        advance(to: now, news: &news)
        choice.keep { devices.contains($0) }
        watch.found(devices: devices.count, isListening: listens, at: now)
        tellStatus(at: now, news: &news)
    }

    /// Lets time pass.
    package mutating func advance(to now: Instant, news: inout [LocationNews]) {
        look(at: now, news: &news)
        tellDue(at: now, news: &news)
    }

    /// Begins and ends looks.
    private mutating func look(at now: Instant, news: inout [LocationNews]) {
        if let askedUntil, now >= askedUntil { ask(until: nil, at: now, news: &news) }
        if now >= fixedDue { sayFixed(at: now, news: &news) }
        switch updates {
        case .standard(let standard, var pause):
            pause?.advance(to: now)
            updates = .standard(standard, pause)
        case .significant(var significant):
            significant.advance(to: now)
            updates = .significant(significant)
        }
    }

    /// Tells due updates. A fix of this instant comes first, because it is what to tell.
    private mutating func tellDue(at now: Instant, news: inout [LocationNews]) {
        if case .standard(var standard, let pause) = updates, !isPaused, track == nil {
            let update = standard.advance(to: now)
            updates = .standard(standard, pause)
            if update != nil, let last { news.append(.update(last)) }
        }
        if let batch = track?.advance(to: now) { tell(batch, news: &news) }
        watch.advance(to: now)
        tellStatus(at: now, news: &news)
    }

    /// Tells kept fixes, because the agent ends or is reloaded.
    mutating func stop(at now: Instant, news: inout [LocationNews]) {
        advance(to: now, news: &news)
        if let batch = track?.stop() { tell(batch, news: &news) }
    }

    // MARK: - Use of a fix

    private mutating func use(_ placed: PlacedFix, news: inout [LocationNews]) {
        let (fix, now) = (placed.fix, placed.came)
        last = placed
        watch.use(at: now)
        news.append(.used(placed))
        var isNews = false
        var change: AutomaticPause.Change?
        switch updates {
        case .standard(var standard, var pause):
            change = pause?.use(fix, at: now)
            if !(pause?.isPaused ?? false) { isNews = standard.use(fix, at: now) != nil }
            updates = .standard(standard, pause)
        case .significant(var significant):
            isNews = significant.use(fix, at: now) != nil
            updates = .significant(significant)
        }
        if change == .resumed {
            track?.resume()
            // Subscribers get the status before the place: that there are places again.
            tellStatus(at: now, news: &news)
        }
        keep(fix, at: now, news: &news)
        if change == .paused, let batch = track?.pause() { tell(batch, news: &news) }
        if isNews, track == nil { news.append(.update(placed)) }
    }

    private mutating func keep(_ fix: Fix, at now: Instant, news: inout [LocationNews]) {
        guard let number = track?.count else { return }
        news.append(.kept(KeptFix(fix, number: number)))
        if let batch = track?.keep(fix, at: now) { tell(batch, news: &news) }
    }

    /// Tells a batch, together with the place of its last fix.
    private func tell(_ batch: TrackBatch, news: inout [LocationNews]) {
        news.append(.track(batch))
        if let last, last.fix == batch.fixes.last { news.append(.update(last)) }
    }

    private mutating func sayFixed(at now: Instant, news: inout [LocationNews]) {
        guard case .fixed(let coordinate, let accuracy_m) = settings.source else { return }
        let fix = Fix(at: .unixEpoch, coordinate: coordinate, horizontalAccuracy_m: accuracy_m)
        let placed = PlacedFix(fix, came: now, origin: .configuration)
        // The place does not move and its message is retained, so it is published once.
        let isFirst = last == nil
        last = placed
        news.append(.used(placed))
        if isFirst { news.append(.update(placed)) }
        fixedDue = askedUntil != nil ? now + Self.fixedInterval : .distantFuture
    }

    private mutating func tellStatus(at now: Instant, news: inout [LocationNews]) {
        watch.listen(listens, at: now)
        let status = status
        use.turn(on: listens && status.availability != .absent && status.availability != .noDevice, at: now)
        guard status != told else { return }
        told = status
        news.append(.status(status))
    }
}
