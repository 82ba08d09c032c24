public import HCI
public import Regions

/// A region's state as subscribers are told it.
public struct ToldState: Hashable, Sendable {
    public var state: RegionState
    /// When the region came to be in this state.
    public var since: Instant
    /// When that came to pass.
    public var at: Instant

    public init(_ state: RegionState, since: Instant, at: Instant) {
        self.state = state
        self.since = since
        self.at = at
    }
}

extension MessageComposer {
    /// `region/{id}/state`: whether the region is inside, and since when.
    ///
    /// - Parameters:
    ///   - epoch: the one that `eventSeq` belongs to. A state of another epoch than `status` names is out of date.
    ///   - eventSeq: the last event of the instance in that epoch, 0 before the first.
    public func state(
        _ told: ToldState, of instance: RegionInstanceID, epoch: String, eventSeq: Int64, _ timebase: Timebase
    ) -> Message {
        var json = payload(at: told.at, timebase)
        json.set("epoch", epoch)
        set(instance, in: &json)
        json.set("state", told.state.rawValue)
        json.set("since", Timestamp.text(timebase.wall(told.since)))
        json.set("event_seq", eventSeq)
        return Message(
            topic: topics.state(instance), payload: json.object, qos: .atLeastOnce, isRetained: true)
    }

    /// Takes the state of an instance that is monitored no more from the broker.
    public func clearedState(_ instance: RegionInstanceID) -> Message {
        cleared(topics.state(instance))
    }

    /// Takes what is retained on a topic from the broker.
    public func cleared(_ topic: String) -> Message {
        Message(topic: topic, payload: [], qos: .atLeastOnce, isRetained: true)
    }
}
