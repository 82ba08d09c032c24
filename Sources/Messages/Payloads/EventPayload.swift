import Beacons
public import HCI
public import Regions

extension MessageComposer {
    /// `region/{id}/event`: a crossing, numbered.
    ///
    /// - Parameters:
    ///   - epoch: one outbox's life; with `seq` it names the event for ever.
    ///   - seq: its number within the epoch, from 1.
    public func event(
        _ event: RegionEvent, of instance: RegionInstanceID, epoch: String, seq: Int64, at instant: Instant,
        _ timebase: Timebase
    ) -> Message {
        var json = payload(ofEpoch: epoch, at: instant, timebase)
        json.set("seq", seq)
        json.set("type", event.kind == .enter ? "enter" : "exit")
        json.set("region", instance.region)
        set(event.cause, in: &json)
        if case .exit(let stay) = event.kind {
            json.set("entered_at", Timestamp.text(timebase.wall(stay.enteredAt)))
            json.set("last_heard_at", Timestamp.text(timebase.wall(stay.lastHeardAt)))
            json.set("dwell_s", stay.dwell.seconds, decimals: 3)
            if stay.beginning == .partial { json.set("partial", true) }
            switch stay.ending {
            case .observed: break
            case .inferred: json.set("inferred", true)
            case .unmonitored: json.set("unmonitored", true)
            }
        }
        return Message(
            topic: topics.event(instance), payload: json.object, qos: .atLeastOnce, isRetained: false)
    }

    private func set(_ cause: RegionEvent.Cause, in json: inout JSONWriter) {
        switch cause {
        case .beacon(let identity, let observation):
            json.set("uuid", identity.uuid.description)
            json.set("major", identity.major)
            json.set("minor", identity.minor)
            json.set("rssi_dbm", observation.rssi_dbm, decimals: 1)
            json.set("accuracy_m", observation.accuracy_m, decimals: 2)
            json.set("accuracy_error_m", observation.accuracyError_m, decimals: 2)
            json.set("proximity", observation.proximity.rawValue)
        }
    }
}
