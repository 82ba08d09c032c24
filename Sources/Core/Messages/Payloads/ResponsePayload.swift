/// `response/{verb}`, or a topic chosen by the requester: the answer to a request.
struct ResponsePayload: Payload, Hashable {
    enum Result: Hashable, Sendable {
        /// The requested states, and the start of the next page, if there is one.
        case states([ListedState], next: Int?)
        case ranging(ListedBeacons)
        /// The region is monitored from now on, or was already, with this definition.
        case monitoring(region: String)
        /// The region is not monitored any more; so many instances ended.
        case stopped(region: String, instances: Int)
        /// A fresh fix, and its age. Seconds.
        case location(Fix, age_s: Double)
        case refused(RequestError)
    }

    package var head: PayloadHead
    /// The last level of the request's topic.
    var request: String
    var result: Result
}

struct ListedState: Hashable, Sendable {
    var instance: RegionInstanceID
    var state: RegionState
    var since: WallTime
    /// The last event of the instance; 0 before the first, or where it is not known any more.
    var eventSeq: Int64
}

extension ResponsePayload {
    func write(to json: inout JSONWriter) {
        json.set("request", request)
        if case .refused(let error) = result {
            json.set("ok", false)
            json.set("error") { json in
                json.set("code", error.code)
                json.set("text", error.text)
            }
        } else {
            json.set("ok", true)
            json.set("result") { json in result.write(to: &json) }
        }
    }
}

extension ResponsePayload.Result {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .states(let states, let next):
            json.set("states", objectsFor: states) { state, json in state.write(to: &json) }
            if let next { json.set("next", next) }
        case .ranging(let list): list.write(to: &json)
        case .monitoring(let region): json.set("region", region)
        case .stopped(let region, let instances):
            json.set("region", region)
            json.set("instances", instances)
        case .location(let fix, let age_s):
            json.set("fix") { json in fix.write(to: &json) }
            json.set("age_s", age_s, decimals: 3)
        case .refused: break
        }
    }
}

extension ListedState {
    fileprivate func write(to json: inout JSONWriter) {
        json.set(instance)
        json.set("state", state)
        json.set("since", since)
        json.set("event_seq", eventSeq)
    }
}

extension Answer: MessageContent {
    /// A client repeats a request.
    package var handling: OutputHandling { .ofPresent }

    package func publication(by composer: inout MessageComposer, _ context: PublicationContext) -> Publication {
        Publication([.ephemeral(composer.response(self, eventSeq: context.eventSeq, context.timebase))])
    }
}

extension MessageComposer {
    /// - Parameter eventSeq: returns the last event of an instance; 0 before the first, or where it is not known any
    ///   more.
    package func response(
        _ answer: Answer, eventSeq: (RegionInstanceID) -> Int64, _ timebase: Timebase
    ) -> Message {
        var payload = ResponsePayload(
            head: head(at: answer.at, timebase), request: answer.address.verb,
            result: result(answer.result, at: answer.at, eventSeq: eventSeq, timebase))
        var message = message(.response, on: answer.address.topic, payload.encoded)
        message.correlationData = answer.address.correlationData
        if let error = RequestError.answerTooLarge(answer.result, bytes: message.payload.count) {
            payload.result = .refused(error)
            message.shortPayload = payload.encoded
        }
        return message
    }

    private func result(
        _ result: Answer.Result, at now: Instant, eventSeq: (RegionInstanceID) -> Int64, _ timebase: Timebase
    ) -> ResponsePayload.Result {
        switch result {
        case .location where !includesPlace: .refused(.locationOmitted)
        case .location(let placed):
            .location(dated(placed, at: now, timebase), age_s: placed.age(at: now).seconds)
        case .states(let states, let next):
            .states(
                states.map { status in
                    ListedState(
                        instance: status.instance, state: status.state, since: timebase.wall(min(status.since, now)),
                        eventSeq: eventSeq(status.instance))
                }, next: next)
        case .ranging(let report): .ranging(list(report, timebase))
        case .monitoring(let region): .monitoring(region: region)
        case .stopped(let region, let instances): .stopped(region: region, instances: instances)
        case .refused(let error): .refused(error)
        }
    }
}
