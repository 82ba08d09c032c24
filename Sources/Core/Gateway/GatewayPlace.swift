/// The gateway's place: its location services, and the requests that wait for a fix.
///
/// Used fixes go on to `GatewayPresence`. Its undecided crossings keep the receiver on. A gateway without `[location]` has no services.
struct GatewayPlace: Sendable {
    /// The location services; `nil` without `[location]`.
    private(set) var services: LocationServices?
    /// The deadline of the services and the requests. It is stored, because every report asks for it.
    private(set) var deadline = Instant.distantFuture
    private var requests = LocationRequests()
    private let settings: GatewaySettings

    init(_ settings: GatewaySettings, at now: Instant) {
        self.settings = settings
        services = settings.location.map {
            LocationServices($0, longestGap: settings.regions.rules.beacons.unknownStateAfter, at: now)
        }
    }

    /// True if the receivers have to be on.
    var listens: Bool { services?.listens ?? false }

    mutating func takeMalformed() { services?.takeMalformed() }

    /// Lets the services do their due work.
    mutating func advance(at now: Instant, _ presence: inout GatewayPresence, outputs: inout [GatewayOutput]) {
        change(at: now, &presence, outputs: &outputs) { services, now, found in
            services.advance(to: now, outputs: &found)
        }
    }

    /// Lets the services handle an event, and passes on what they find.
    ///
    /// - Parameter presence: takes each used fix, and learns when the receiver begins or ends a rest.
    mutating func change(
        at now: Instant, _ presence: inout GatewayPresence, outputs: inout [GatewayOutput],
        by event: (inout LocationServices, Instant, inout [LocationOutput]) -> Void
    ) {
        guard var services else { return }
        let listened = services.listens
        var found: [LocationOutput] = []
        event(&services, now, &found)
        publish(found, at: now, &presence, &outputs)
        for answer in requests.takeAnswers(services.status.availability, at: now) {
            outputs.append(.message(answer, at: now))
        }
        // The new state of regions and requests decides whether the receiver may rest.
        found.removeAll()
        let needed = fixesNeededUntil(presence.monitor.kinds.isCrossingUndecided, services.last)
        services.ask(until: needed, at: now, outputs: &found)
        publish(found, at: now, &presence, &outputs)
        if services.listens != listened { presence.receiverRests(!services.listens, at: now) }
        self.services = services
        deadline = min(services.deadline, requests.deadline)
    }

    /// Begins to wait for a fresh fix.
    ///
    /// - Throws: an error where no fix can come.
    mutating func locate(
        for address: ReplyAddress, timeout: TimeSpan, at now: Instant, _ presence: inout GatewayPresence,
        outputs: inout [GatewayOutput]
    ) throws(RequestError) {
        let availability = services?.status.availability ?? .off
        switch availability {
        case .off, .absent, .noDevice: throw .locationUnavailable(availability)
        case .searching, .located: break
        }
        try requests.add(address, until: now + timeout)
        // The first call asks for a fix. With a configured place, the second call uses it and answers the request.
        advance(at: now, &presence, outputs: &outputs)
        advance(at: now, &presence, outputs: &outputs)
    }

    private mutating func publish(
        _ found: [LocationOutput], at now: Instant, _ presence: inout GatewayPresence, _ outputs: inout [GatewayOutput]
    ) {
        for item in found {
            switch item {
            case .used(let placed):
                requests.used(placed, at: now)
                presence.use(placed, at: now, outputs: &outputs)
            case .update(let placed):
                let update = GatewayLocation(placed: placed, service: settings.location?.service ?? .standard)
                outputs.append(.message(update, at: now))
            case .kept(let fix): outputs.append(.message(fix, at: now))
            case .track(let batch): outputs.append(.message(batch, at: now))
            case .status(let status): outputs.append(.locationStatus(status, at: now))
            }
        }
    }

    /// Returns until when regions and requests need fixes. A resting receiver would leave a crossing undecided. Without
    /// reception the receiver may rest: a gap longer than `unknown_state_after_s` does not count, and the crossing has
    /// to begin anew.
    private func fixesNeededUntil(_ isCrossingUndecided: Bool, _ last: PlacedFix?) -> Instant? {
        let forRegions =
            isCrossingUndecided ? last.map { $0.came + settings.regions.rules.beacons.unknownStateAfter } : nil
        guard let forRequests = requests.lastDeadline else { return forRegions }
        return max(forRegions ?? forRequests, forRequests)
    }
}
