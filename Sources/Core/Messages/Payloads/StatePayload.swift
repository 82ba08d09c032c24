/// `region/{id}/state`: whether the region is inside, and since when.
package struct StatePayload: Payload, Hashable {
    package var head: PayloadHead
    /// The one that `eventSeq` belongs to. A state of another epoch than `status` names is out of date.
    package var epoch: String
    package var instance: RegionInstanceID
    var detail: RegionDetail
    var state: RegionState
    var since: WallTime
    /// The last event of the instance in that epoch; 0 before the first, or where it is not known any more.
    var eventSeq: Int64
}

extension StatePayload {
    package init(_ head: PayloadHead, _ fields: inout PayloadFields) throws(PayloadError) {
        self.init(
            head: head, epoch: try fields.epoch(), instance: try fields.instance(),
            detail: try RegionDetail(&fields), state: try fields.word("state"),
            since: try fields.time("since"), eventSeq: try fields.integer("event_seq"))
    }

    package func write(to json: inout JSONWriter) {
        json.set("epoch", epoch)
        json.set(instance)
        detail.write(to: &json)
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
    var detail: RegionDetail

    /// - Parameter since: what is later than `at` counts as then: nothing lasts from a time that is still to come.
    package init(_ state: RegionState, since: Instant, at: Instant, detail: RegionDetail = .beacon) {
        self.state = state
        self.since = min(since, at)
        self.at = at
        self.detail = detail
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
            detail: tellsPlace ? told.detail : told.detail.withoutPlace, state: told.state,
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
