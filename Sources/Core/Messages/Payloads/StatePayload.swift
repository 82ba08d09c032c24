/// `region/{id}/state`: whether the region is inside, and since when.
package struct StatePayload: Payload, Hashable {
    package var head: PayloadHead
    /// The one that `eventSeq` belongs to. A state of another epoch than `status` names is out of date.
    package var epoch: String
    package var instance: RegionInstanceID
    /// Where the region is a circle.
    var circle: CircleObservation?
    var state: RegionState
    var since: WallTime
    /// The last event of the instance in that epoch; 0 before the first, or where it is not known any more.
    var eventSeq: Int64
}

extension StatePayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, epoch: try fields.epoch(), instance: try fields.instance(),
            circle: fields.has("center") ? try CircleObservation(&fields) : nil, state: try fields.word("state"),
            since: try fields.time("since"), eventSeq: try fields.integer("event_seq"))
    }

    package func write(to json: inout JSONWriter) {
        json.set("epoch", epoch)
        json.set(instance)
        if let circle { json.set(circle) }
        json.set("state", state.rawValue)
        json.set("since", Timestamp.text(since))
        json.set("event_seq", eventSeq)
    }
}

/// A region's state as subscribers are told it.
package struct ToldState: Hashable, Sendable {
    var state: RegionState
    /// When the region came to be in this state.
    var since: Instant
    /// When that came to pass.
    package var at: Instant
    /// Where the region is a circle: that, and how far from its centre the gateway was then.
    var circle: CircleObservation?

    /// - Parameter since: what is later than `at` counts as then: nothing lasts from a time that is still to come.
    package init(_ state: RegionState, since: Instant, at: Instant, circle: CircleObservation? = nil) {
        self.state = state
        self.since = min(since, at)
        self.at = at
        self.circle = circle
    }
}

extension MessageComposer {
    /// - Parameters:
    ///   - epoch: the one that `eventSeq` belongs to.
    ///   - eventSeq: the last event of the instance in that epoch; 0 before the first, or where it is not known any more.
    func state(
        _ told: ToldState, of instance: RegionInstanceID, epoch: String, eventSeq: Int64, _ timebase: Timebase
    ) -> Message {
        let payload = StatePayload(
            head: head(at: told.at, timebase), epoch: epoch, instance: instance,
            circle: tellsPlace ? told.circle : told.circle?.withoutPlace, state: told.state,
            since: timebase.wall(told.since), eventSeq: eventSeq)
        return message(.state, on: topics.state(instance), payload.encoded)
    }

    /// Takes the state of an instance that is monitored no more from the broker.
    package func clearedState(_ instance: RegionInstanceID) -> Message {
        cleared(topics.state(instance))
    }

    /// Takes what is retained on a topic from the broker.
    package func cleared(_ topic: String) -> Message {
        Message(topic: topic, payload: [], .retained)
    }
}
