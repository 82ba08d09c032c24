import PayloadReaders

@testable import Agent
@testable import Core

/// The van drives, and its receiver reports its place.
extension World {
    func vanMoves() {
        guard let van = scenario.van, var receiver else { return }
        agenda.add(.receiverSpeaks, at: now + receiver.pause())
        let report = receiver.speak(
            van, at: now, time: machine.trueTime, came: machine.now, isHonest: isHealed)
        let place = van.place(at: now)
        let outage = receiver.outage()
        if let outage, !isHealed, now >= receiverBackAt {
            receiverBackAt = now + outage
            receiver.breaks()
            life?.hear(.lost(.closed(reason: "the simulated gpsd has gone")))
        }
        if receiverBackAt > .origin, now >= receiverBackAt {
            receiverBackAt = .origin
            life?.hear(.devices([SimulatedReceiver.device]))
        }
        self.receiver = receiver
        let listener = life.flatMap { $0.isStopping ? nil : $0 }
        let isListening = listener?.receivers?.isListening ?? false
        circles.moves(to: place, isListening: isListening, at: now)
        guard let listener, isListening, now >= receiverBackAt, let news = report.news else {
            return check { () throws(Violation) in try circles.check() }
        }
        trace("receiver: \(report.kind) \(report.fix.map { "\($0.coordinate)" } ?? "")")
        let accuracy_m = settings.gateway.location?.desiredAccuracy_m ?? 0
        if let fix = report.fix { tracks.report(fix, isUsable: fix.horizontalAccuracy_m <= accuracy_m) }
        let clock = listener.receivers?.clock(machine.now)
        listener.hear(news)
        guard life === listener else { return }
        check { () throws(Violation) in
            let isUsed = try circles.heard(report, clock: clock, at: now)
            try circles.check()
            if isUsed, settings.gateway.location?.deferral != nil, let fix = report.fix, !tracks.isKept(fix) {
                throw Violation(invariant: .batches, detail: "a fix was used and not kept")
            }
        }
    }

    /// All monitored instances, of either kind.
    var instances: [RegionInstanceID] { Array(witness.instances) + Array(circles.instances) }

    /// The agent's present state of an instance, for subscribers.
    func state(of instance: RegionInstanceID) -> RegionState? {
        witness.state(of: instance) ?? circles.state(of: instance)
    }

    /// Checks that the broker retains the place that was published last.
    func checkRetainedPlace() throws(Violation) {
        guard let last = tracks.lastPlace, now - last.at > .seconds(10) else { return }
        let payload = broker.retained[topics.topic(.gateway(.location))]
        guard let payload, let place = try? LocationPayload(decoding: payload) else {
            throw Violation(invariant: .place, detail: "no place is retained")
        }
        if StoredFix.encoded(place.fix) != StoredFix.encoded(last.fix) {
            throw Violation(invariant: .place, detail: "another place is retained than was published last")
        }
    }
}
