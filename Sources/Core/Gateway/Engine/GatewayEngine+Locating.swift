/// Where the gateway is, and what says so.
struct Whereabouts: Sendable {
    /// `nil` where the configuration says nothing of the place.
    var services: LocationServices?
    /// When the services have something to do; it is asked for with every report.
    private(set) var deadline = Instant.distantFuture
    /// What regions are monitored by that need fixes; made with the first of them.
    var receiver: EvidenceSourceID?
    /// Whether the receiver rests on purpose.
    var isResting = false
    var requests = LocationRequests()

    /// To be called wherever the services or the requests have changed.
    mutating func schedule() {
        deadline = min(services?.deadline ?? .distantFuture, requests.deadline)
    }
}

/// Receivers say where the gateway is. A gateway without `[location]` has no part of this.
extension GatewayEngine {
    /// Whether the receivers have to be on.
    var listensForFixes: Bool { place.services?.listens ?? false }

    /// What a status says of the place; `nil` where the configuration says nothing of it. Each change is an output.
    package var locationStatus: LocationStatus? { place.services?.status }

    /// One of gpsd's receivers said where it is.
    ///
    /// - Parameters:
    ///   - instant: when that came.
    ///   - clock: the time of day then; `nil` while nobody has set the clock.
    package mutating func receive(
        _ report: DeviceReport, at instant: Instant, clock: WallTime?, outputs: inout [GatewayOutput]
    ) {
        change(at: instant, &outputs) { services, now, news in
            services.take(report, at: now, clock: clock, news: &news)
        }
    }

    /// What came is no report.
    package mutating func receiveMalformedFix() { place.services?.takeMalformed() }

    /// gpsd has told which receivers it has, by their paths.
    package mutating func receivers(_ paths: [String], at instant: Instant, outputs: inout [GatewayOutput]) {
        change(at: instant, &outputs) { services, now, news in services.found(devices: paths, at: now, news: &news) }
    }

    /// There is no connection to gpsd.
    package mutating func lostReceivers(at instant: Instant, outputs: inout [GatewayOutput]) {
        change(at: instant, &outputs) { services, now, news in services.lostConnection(at: now, news: &news) }
    }

    /// The agent ends: fixes that wait for others are told.
    mutating func stopLocating(outputs: inout [GatewayOutput]) {
        change(at: now, &outputs) { services, now, news in services.stop(at: now, news: &news) }
    }

    /// Has the services do something at `instant`. What was due before comes first.
    private mutating func change(
        at instant: Instant, _ outputs: inout [GatewayOutput],
        _ body: (inout LocationServices, Instant, inout [LocationNews]) -> Void
    ) {
        guard place.services != nil else { return }
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        changeServices(&outputs, body)
    }

    /// Their time has come.
    mutating func advanceServices(_ outputs: inout [GatewayOutput]) {
        changeServices(&outputs) { services, now, news in services.advance(to: now, news: &news) }
    }

    private mutating func changeServices(
        _ outputs: inout [GatewayOutput], _ body: (inout LocationServices, Instant, inout [LocationNews]) -> Void
    ) {
        guard var services = place.services else { return }
        var news: [LocationNews] = []
        body(&services, now, &news)
        place.services = services
        tell(news, &outputs)
        answerLocationRequests(&outputs)
        // What has become of the regions and of the requests says whether the receiver may rest.
        news.removeAll()
        let end = fixesNeededUntil
        place.services?.ask(until: end, at: now, news: &news)
        tell(news, &outputs)
        followReceiver()
        place.schedule()
    }

    private mutating func tell(_ news: [LocationNews], _ outputs: inout [GatewayOutput]) {
        for item in news {
            switch item {
            case .used(let placed): use(placed, outputs: &outputs)
            case .update(let placed):
                outputs.append(.location(placed, of: settings.location?.service ?? .standard, at: now))
            case .kept(let fix): outputs.append(.kept(fix))
            case .track(let batch): outputs.append(.track(batch, at: now))
            case .status(let status): outputs.append(.locationStatus(status, at: now))
            }
        }
    }

    /// The regions that need fixes are judged by it.
    private mutating func use(_ placed: PlacedFix, outputs: inout [GatewayOutput]) {
        place.requests.used(placed)
        guard let receiver = place.receiver else { return }
        monitor.use(placed.fix, from: receiver, at: now, transitions: &transitions, notices: &notices)
        if monitor.kinds.isGatewayInside { stays.heard(at: now) }
        takeTransitions(&outputs)
        takeFailures(&outputs)
    }

    /// A receiver that rests would leave a crossing undecided. Where there is no reception it may: a gap that is longer than
    /// `unknown_state_after_s` does not count, and the crossing has to begin anew.
    private var fixesNeededUntil: Instant? {
        let forRegions =
            monitor.kinds.isCrossingUndecided
            ? place.services?.last.map { $0.came + settings.regions.rules.beacons.unknownStateAfter } : nil
        guard let forRequests = place.requests.lastDeadline else { return forRegions }
        return max(forRegions ?? forRequests, forRequests)
    }

    /// That no fix comes from a receiver that rests on purpose makes no state unknown.
    private mutating func followReceiver() {
        let isResting = !listensForFixes
        guard isResting != place.isResting else { return }
        place.isResting = isResting
        guard let receiver = place.receiver else { return }
        if isResting { monitor.rests(receiver, at: now) } else { monitor.listens(receiver, at: now) }
    }

    /// What events say of the place: the last used fix, while it is young enough.
    package var location: EventLocation? {
        guard let last = place.services?.last else { return nil }
        let age = last.age(at: now)
        guard age < EventLocation.maxAge else { return nil }
        return EventLocation(
            coordinate: last.fix.coordinate, horizontalAccuracy_m: last.fix.horizontalAccuracy_m, age: age)
    }

    /// What regions are monitored by that need fixes. A gateway without any has none, so that a report costs nothing more.
    mutating func receiver() -> EvidenceSourceID {
        if let receiver = place.receiver { return receiver }
        let receiver = monitor.addSource(canProbe: false)
        if place.isResting { monitor.rests(receiver, at: now) }
        place.receiver = receiver
        return receiver
    }
}
