import Beacons
import HCI

/// When each gateway of a store truly heard each beacon.
struct HearingLog {
    private struct Pair: Hashable {
        var identity: BeaconIdentity
        var gateway: Int
    }

    private var times: [Pair: [Instant]] = [:]

    mutating func note(_ identity: BeaconIdentity, by gateway: Int, at now: Instant) {
        times[Pair(identity: identity, gateway: gateway), default: []].append(now)
    }

    /// Whether a beacon was heard within that time.
    func has(_ identity: BeaconIdentity, by gateway: Int, from first: Instant, to last: Instant) -> Bool {
        let times = times[Pair(identity: identity, gateway: gateway)] ?? []
        return times.last { $0 <= last }.map { $0 >= first } ?? false
    }
}
