import HCI
import Regions

extension MessageComposer {
    /// `response/{verb}`, or wherever the requester wants it: what became of a request.
    ///
    /// - Parameter eventSeq: the last event of an instance, 0 before the first.
    public func response(
        _ answer: Answer, eventSeq: (RegionInstanceID) -> Int64, _ timebase: Timebase
    ) -> Message {
        let payload = responsePayload(answer, eventSeq: eventSeq, timebase)
        var message = Message(
            topic: answer.address.topic, payload: payload, qos: .atLeastOnce, isRetained: false,
            correlationData: answer.address.correlationData)
        if let error = RequestError.answerTooLarge(answer.result, bytes: payload.count) {
            var refusal = answer
            refusal.result = .refused(error)
            message.shortPayload = responsePayload(refusal, eventSeq: eventSeq, timebase)
        }
        return message
    }

    private func responsePayload(
        _ answer: Answer, eventSeq: (RegionInstanceID) -> Int64, _ timebase: Timebase
    ) -> [UInt8] {
        var json = payload(at: answer.at, timebase)
        json.set("request", answer.address.verb)
        if case .refused(let error) = answer.result {
            json.set("ok", false)
            json.set("error", object: object(error))
        } else {
            json.set("ok", true)
            json.set("result", object: object(answer.result, eventSeq: eventSeq, timebase))
        }
        return json.object
    }

    private func object(_ error: RequestError) -> [UInt8] {
        var json = JSONWriter()
        json.set("code", error.code.rawValue)
        json.set("text", error.text)
        return json.object
    }

    private func object(
        _ result: Answer.Result, eventSeq: (RegionInstanceID) -> Int64, _ timebase: Timebase
    ) -> [UInt8] {
        var json = JSONWriter()
        switch result {
        case .states(let states, let next):
            json.set("states", objects: states.map { object($0, eventSeq: eventSeq($0.instance), timebase) })
            if let next { json.set("next", next) }
        case .ranging(let report):
            let now = timebase.wall(report.at)
            set(report, in: &json) { pseudonym.name(of: $0.address, device: $0.device, at: now) }
        case .monitoring(let region):
            json.set("region", region)
        case .stopped(let region, let instances):
            json.set("region", region)
            json.set("instances", instances)
        case .refused:
            break
        }
        return json.object
    }

    private func object(_ status: RegionStatus, eventSeq: Int64, _ timebase: Timebase) -> [UInt8] {
        var json = JSONWriter()
        set(status.instance, in: &json)
        json.set("state", status.state.rawValue)
        json.set("since", Timestamp.text(timebase.wall(status.since)))
        json.set("event_seq", eventSeq)
        return json.object
    }
}
