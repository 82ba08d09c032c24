/// `region/{id}/state`: whether the region is inside, and since when.
package struct StatePayload: ReadablePayload, Hashable {
    package var head: PayloadHead
    /// The epoch of `eventSeq`. A state with another epoch than `status` is out of date.
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

/// A region's state as announced to subscribers.
package struct ToldState: Hashable, Sendable {
    var state: RegionState
    /// The time from which the region is in this state.
    var since: Instant
    /// The time of the change.
    package var at: Instant
    var detail: RegionDetail

    /// - Parameter since: a time later than `at` becomes `at`: no state begins in the future.
    package init(_ state: RegionState, since: Instant, at: Instant, detail: RegionDetail = .beacon) {
        self.state = state
        self.since = min(since, at)
        self.at = at
        self.detail = detail
    }
}

extension MessageComposer {
    /// - Parameters:
    /// - epoch: the epoch of `eventSeq`.
    /// - eventSeq: the last event of the instance in that epoch; 0 before the first, or where it is not known any more.
    func state(
        _ told: ToldState, of instance: RegionInstanceID, epoch: String, eventSeq: Int64, _ timebase: Timebase
    ) -> Message {
        let payload = StatePayload(
            head: head(at: told.at, timebase), epoch: epoch, instance: instance,
            detail: tellsPlace ? told.detail : told.detail.withoutPlace, state: told.state,
            since: timebase.wall(told.since), eventSeq: eventSeq)
        return message(.state, on: topics.state(instance), payload.encoded)
    }

    /// Returns the message that clears the retained state of an instance that is not monitored any more.
    package func clearedState(_ instance: RegionInstanceID) -> Message {
        cleared(topics.state(instance))
    }

    /// Returns the message that clears the retained message of a topic.
    package func cleared(_ topic: String) -> Message {
        Message(topic: topic, payload: [], .retained)
    }
}
