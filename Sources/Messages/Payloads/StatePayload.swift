import HCI
public import Regions

extension MessageComposer {
    /// `region/{id}/state`: whether the region is inside, and since when.
    ///
    /// - Parameter eventSeq: the last event of the instance, 0 before the first.
    public func state(_ transition: RegionTransition, eventSeq: Int64, _ timebase: Timebase) -> Message {
        var json = payload(at: transition.at, timebase)
        set(transition.instance, in: &json)
        json.set("state", transition.state.rawValue)
        json.set("since", Timestamp.text(timebase.wall(transition.since)))
        json.set("event_seq", eventSeq)
        return Message(
            topic: topics.state(transition.instance), payload: json.object, qos: .atLeastOnce, isRetained: true)
    }

    /// Takes the state of an instance that is monitored no more from the broker.
    public func clearedState(_ instance: RegionInstanceID) -> Message {
        Message(topic: topics.state(instance), payload: [], qos: .atLeastOnce, isRetained: true)
    }
}
