/// The gateway's place, and its sources.
struct LocationState: Sendable {
    /// The location services; `nil` without `[location]`.
    var services: LocationServices?
    /// The deadline of the services and the requests. It is stored, because every report asks for it.
    private(set) var deadline = Instant.distantFuture
    /// The source of evidence for regions that need fixes, made with the first of them.
    var receiver: EvidenceSourceID?
    /// True if the receiver rests on purpose.
    var isResting = false
    var requests = LocationRequests()

    /// Updates `deadline`. The engine calls it wherever the services or the requests have changed.
    mutating func schedule() { deadline = min(services?.deadline ?? .distantFuture, requests.deadline) }
}

/// The part of the engine that takes fixes. A gateway without `[location]` does not use it.
extension GatewayEngine {
    /// True if the receivers have to be on.
    var listensForFixes: Bool { place.services?.listens ?? false }

    /// The location part of the status; `nil` without `[location]`. Each change is an output.
    package var locationStatus: LocationStatus? { place.services?.status }

    /// Takes a report of one of gpsd's receivers.
    ///
    /// - Parameters:
    /// - instant: the time at which the report came.
    /// - clock: the time of day then; `nil` while the clock is not set.
    package mutating func receive(
        _ report: DeviceReport, at instant: Instant, clock: WallTime?, outputs: inout [GatewayOutput]
    ) {
        change(at: instant, &outputs) { services, now, found in
            services.take(report, at: now, clock: clock, outputs: &found)
        }
    }

    /// Counts a malformed report.
    package mutating func receiveMalformedFix() { place.services?.takeMalformed() }

    /// Takes gpsd's list of receivers, by their paths.
    package mutating func receivers(_ paths: [String], at instant: Instant, outputs: inout [GatewayOutput]) {
        change(at: instant, &outputs) { services, now, found in services.found(devices: paths, at: now, outputs: &found)
        }
    }

    /// Takes the loss of the connection to gpsd.
    package mutating func lostReceivers(at instant: Instant, outputs: inout [GatewayOutput]) {
        change(at: instant, &outputs) { services, now, found in services.lostConnection(at: now, outputs: &found) }
    }

    /// Publishes deferred fixes, because the agent stops.
    mutating func stopLocating(outputs: inout [GatewayOutput]) {
        change(at: now, &outputs) { services, now, found in services.stop(at: now, outputs: &found) }
    }

    /// Lets the services handle an event at `instant`. Earlier due work comes first.
    private mutating func change(
        at instant: Instant, _ outputs: inout [GatewayOutput],
        _ body: (inout LocationServices, Instant, inout [LocationOutput]) -> Void
    ) {
        guard place.services != nil else { return }
        advance(before: instant, outputs: &outputs)
        now = max(now, instant)
        changeServices(&outputs, body)
    }

    /// Does the due work of the services.
    mutating func advanceServices(_ outputs: inout [GatewayOutput]) {
        changeServices(&outputs) { services, now, found in services.advance(to: now, outputs: &found) }
    }

    private mutating func changeServices(
        _ outputs: inout [GatewayOutput], _ body: (inout LocationServices, Instant, inout [LocationOutput]) -> Void
    ) {
        guard var services = place.services else { return }
        var found: [LocationOutput] = []
        body(&services, now, &found)
        place.services = services
        publish(found, &outputs)
        answerLocationRequests(&outputs)
        // The new state of regions and requests decides whether the receiver may rest.
        found.removeAll()
        let end = fixesNeededUntil
        place.services?.ask(until: end, at: now, outputs: &found)
        publish(found, &outputs)
        followReceiver()
        place.schedule()
    }

    private mutating func publish(_ found: [LocationOutput], _ outputs: inout [GatewayOutput]) {
        for item in found {
            switch item {
            case .used(let placed): use(placed, outputs: &outputs)
            case .update(let placed):
                let update = GatewayLocation(placed: placed, service: settings.location?.service ?? .standard)
                outputs.append(.message(update, at: now))
            case .kept(let fix): outputs.append(.message(fix, at: now))
            case .track(let batch): outputs.append(.message(batch, at: now))
            case .status(let status): outputs.append(.locationStatus(status, at: now))
            }
        }
    }

    /// Passes a used fix to the regions that need fixes.
    private mutating func use(_ placed: PlacedFix, outputs: inout [GatewayOutput]) {
        place.requests.used(placed)
        guard let receiver = place.receiver else { return }
        monitor.use(placed.fix, from: receiver, at: now, transitions: &transitions, notices: &notices)
        if monitor.kinds.isGatewayInside { stays.heard(at: now) }
        takeTransitions(&outputs)
        takeFailures(&outputs)
    }

    /// Returns until when regions and requests need fixes. A resting receiver would leave a crossing undecided. Without
    /// reception the receiver may rest: a gap longer than `unknown_state_after_s` does not count, and the crossing has
    /// to begin anew.
    private var fixesNeededUntil: Instant? {
        let forRegions =
            monitor.kinds.isCrossingUndecided
            ? place.services?.last.map { $0.came + settings.regions.rules.beacons.unknownStateAfter } : nil
        guard let forRequests = place.requests.lastDeadline else { return forRegions }
        return max(forRegions ?? forRequests, forRequests)
    }

    /// Reports to the monitor whether the receiver rests on purpose, so that the lack of fixes makes no state unknown.
    private mutating func followReceiver() {
        let isResting = !listensForFixes
        guard isResting != place.isResting else { return }
        place.isResting = isResting
        guard let receiver = place.receiver else { return }
        if isResting { monitor.rests(receiver, at: now) } else { monitor.listens(receiver, at: now) }
    }

    /// Returns the source of evidence for regions that need fixes. A gateway without such regions has none, so that a
    /// report costs nothing more.
    mutating func receiver() -> EvidenceSourceID {
        if let receiver = place.receiver { return receiver }
        let receiver = monitor.addSource(canProbe: false)
        if place.isResting { monitor.rests(receiver, at: now) }
        place.receiver = receiver
        return receiver
    }
}
