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

    /// Counts a malformed report.
    mutating func takeMalformed() { services?.takeMalformed() }

    /// Lets the services handle an event, or do their due work, and passes on what they find.
    ///
    /// - Parameter presence: takes used fixes, and the rests of the receiver.
    mutating func change(
        at now: Instant, _ presence: inout GatewayPresence, outputs: inout [GatewayOutput],
        by event: (inout LocationServices, Instant, inout [LocationOutput]) -> Void = { services, now, found in
            services.advance(to: now, outputs: &found)
        }
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
        services.ask(until: fixesNeededUntil(presence, services.last), at: now, outputs: &found)
        publish(found, at: now, &presence, &outputs)
        if services.listens != listened { presence.receiver(rests: listened, at: now) }
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
        // A configured place is published at once.
        change(at: now, &presence, outputs: &outputs)
        change(at: now, &presence, outputs: &outputs)
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
    private func fixesNeededUntil(_ presence: GatewayPresence, _ last: PlacedFix?) -> Instant? {
        let forRegions =
            presence.monitor.kinds.isCrossingUndecided
            ? last.map { $0.came + settings.regions.rules.beacons.unknownStateAfter } : nil
        guard let forRequests = requests.lastDeadline else { return forRegions }
        return max(forRegions ?? forRequests, forRequests)
    }
}
