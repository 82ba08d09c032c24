import TestAir
import Testing

@testable import Core

/// A gateway with a live radio that hears an `Air` and answers requests in between. Times are seconds since the start.
final class Conversation {
    private(set) var engine: GatewayEngine
    private(set) var outputs: [GatewayOutput] = []
    private let air: [Air.Transmission]
    private var heard = 0

    init(
        _ settings: GatewaySettings, _ air: Air = Air(), requested: [MonitoredRegion] = [],
        restoring records: [RegionRecord] = [], radioSees: Bool = true, canProbe: Bool = false
    ) {
        self.air = air.inOrder
        engine = GatewayEngine(
            settings, requested: requested, restoring: records, radioSees: radioSees, canProbe: canProbe, at: .origin,
            outputs: &outputs)
    }

    /// Returns a gateway that has heard a beacon at the door, alone in the air, until 1 s.
    static func atTheDoor(
        _ settings: GatewaySettings = .door(), every_s: Double = 0.1, canProbe: Bool = false
    ) -> Conversation {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), every_s: every_s, start_s: 0, end_s: 1)
        let gateway = Conversation(settings, air, canProbe: canProbe)
        gateway.hear(until_s: 1)
        return gateway
    }

    /// Hears the air up to and including `t_s`.
    func hear(until_s t_s: Double) {
        while heard < air.count, air[heard].t_s <= t_s {
            let event = air[heard].event
            engine.receive(event.span, at: .origin + .seconds(air[heard].t_s), outputs: &outputs)
            heard += 1
        }
        engine.advance(through: .origin + .seconds(t_s), outputs: &outputs)
    }

    /// Hears one more report: of the beacon, or of a device that is none.
    func hear(_ t_s: Double, from address: DeviceAddress = .fixed(1), beacon: Bool = true) {
        var air = Air()
        if beacon { air.beacon(.beacon(), from: address, at: t_s) } else { air.otherDevices(start_s: t_s, end_s: t_s) }
        for transmission in air.transmissions {
            engine.receive(transmission.event.span, at: .origin + .seconds(t_s), outputs: &outputs)
        }
    }

    func liveness(_ liveness: RadioLiveness, at t_s: Double) {
        engine.liveness(liveness, at: .origin + .seconds(t_s), outputs: &outputs)
    }

    /// The controller answers a probe.
    func proved(at t_s: Double) {
        engine.radioProved(at: .origin + .seconds(t_s), outputs: &outputs)
        hear(until_s: t_s)
    }

    /// Hears until `t_s`, then sends a request.
    func ask(_ request: Request, at t_s: Double) -> Answer.Result? {
        hear(until_s: t_s)
        engine.answer(
            request, to: ReplyAddress(verb: "test", topic: "test"), at: .origin + .seconds(t_s), outputs: &outputs)
        return outputs.last?.content(Answer.self)?.result
    }

    /// Requests to monitor a region of the test's UUID; `keys` are further ones in JSON.
    func monitor(_ id: String, _ keys: String = "", at t_s: Double) throws -> Answer.Result? {
        let text = "{\"id\":\"\(id)\",\"uuid\":\"\(Air.uuid)\"\(keys.isEmpty ? "" : ",")\(keys)}"
        return ask(.monitor(try RegionDefinition(text: Array(text.utf8))), at: t_s)
    }

    /// States as short lines, `inside door 10.0`, and ends of regions, `gone door 20.0`.
    var states: [String] {
        outputs.flatMap { output -> [String] in
            switch output {
            case .transition(let transition, record: _): [transition.stateLine()]
            case .unregistered(region: _, let instances, let at): instances.map { "gone \(name($0)) \(tenths(at))" }
            default: []
            }
        }
    }

    /// The states after the first moment.
    var laterStates: [String] { outputs.transitions.filter { $0.at > .origin }.map { $0.stateLine() } }

    /// Events as short lines: `enter door 10.0`, and where monitoring ended a stay, `end door 20.0 after 8.1`.
    var events: [String] {
        outputs.compactMap { output in
            switch output {
            case .transition(let transition, record: _): return transition.eventLine()
            case .exit(let instance, let event, let at):
                guard case .exit(let stay) = event.kind, stay.ending == .unmonitored else {
                    return "crossing \(name(instance))"
                }
                return "end \(name(instance)) \(tenths(at)) after \(Story.tenths(stay.dwell.seconds))"
            default: return nil
            }
        }
    }

    private func name(_ instance: RegionInstanceID) -> String { StoredRegion.key(instance) }

    private func tenths(_ instant: Instant) -> String { Story.tenths((instant - .origin).seconds) }
}

extension Answer.Result {
    /// The code of a refusal.
    var refusal: RequestError.Code? {
        if case .refused(let error) = self { error.code } else { nil }
    }

    /// The text of a refusal.
    var text: String? {
        if case .refused(let error) = self { error.text } else { nil }
    }

    /// States as short lines: `inside door since 10.0`.
    var states: [String]? {
        guard case .states(let states, next: _) = self else { return nil }
        return states.map {
            "\($0.state.rawValue) \(StoredRegion.key($0.instance)) since \(Story.tenths(($0.since - .origin).seconds))"
        }
    }

    var next: Int? {
        if case .states(_, let next) = self { next } else { nil }
    }

    var ranging: RangingReport? {
        if case .ranging(let report) = self { report } else { nil }
    }
}
