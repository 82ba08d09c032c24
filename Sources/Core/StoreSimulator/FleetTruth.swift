/// The truth of a fleet's store, to compare with what the chain's database says of its beacons.
package struct FleetTruth: Hashable, Sendable {
    private let fleet: BeaconFleet
    private let store: Int
    /// The wall time at which the captures begin.
    private let begin: WallTime

    package init(_ fleet: BeaconFleet, store: Int, begin: WallTime) {
        (self.fleet, self.store, self.begin) = (fleet, store, begin)
    }

    /// Writes the truth as one JSON object, in pieces:
    ///
    ///     {"scenario": "fleet", "site": "store-1", "duration_s": 1036800.0, "deaf": [{"from_s": …, "until_s": …}], "beacons": [
    ///     {"uuid": "39ED…", "major": 1, "minor": 4, "format": "minew", "interval_s": 41.3,
    ///      "register": {"site": "store-1", "asset": "trolley 4", "since": "2026-01-01"},
    ///      "stays": [{"site": "store-1", "from_s": 0.0, "until_s": 301000.5}, …],
    ///      "died_at_s": null, "moved_at_s": 301000.5, "moved_to": "store-2",
    ///      "battery_percent": [61, 61, …], "battery_mv": [2905, 2905, …]},
    ///     …]}
    ///
    /// The beacons are those that the register has in this store and those that are in it for a time. `register` is
    /// null for a stranger. The battery has a number for each hour from the beginning of the captures on, whether the
    /// beacon is alive or not. Formats without a voltage or without a charge have it too.
    package func writeJSON<Failure>(_ write: (String) throws(Failure) -> Void) throws(Failure) {
        let deaf =
            store == fleet.deafStore
            ? "{\"from_s\": \(seconds(fleet.deaf.lowerBound)), \"until_s\": \(seconds(fleet.deaf.upperBound))}" : ""
        try write(
            "{\"scenario\": \"fleet\", \"site\": \"\(site(store))\", \"duration_s\": \(fleet.duration.seconds), "
                + "\"deaf\": [\(deaf)], \"beacons\": [")
        let beacons = fleet.beacons.filter { beacon in
            beacon.home == store || beacon.stays.contains { $0.store == store }
        }
        for (index, beacon) in beacons.enumerated() {
            try write(index == 0 ? "\n" : ",\n")
            try write(head(of: beacon))
            let values = hours.map { beacon.battery.values(at: .origin + .seconds(3_600 * $0)) }
            let percent = values.map { "\($0.battery_percent ?? 0)" }.joined(separator: ", ")
            let mV = values.map { "\($0.battery_mV ?? 0)" }.joined(separator: ", ")
            try write("\n \"battery_percent\": [\(percent)],\n \"battery_mv\": [\(mV)]}")
        }
        try write("\n]}\n")
    }

    private var hours: ClosedRange<Int> { 0...Int(max(0, fleet.duration.microseconds) / 3_600_000_000) }

    private func head(of beacon: BeaconFleet.Beacon) -> String {
        let register = beacon.home.map { home in
            "{\"site\": \"\(site(home))\", \"asset\": \"\(beacon.kind == .cart ? "trolley" : "shelf") "
                + "\(beacon.identity.minor)\", \"since\": \"\(Timestamp.text(begin).prefix(10))\"}"
        }
        let stays = beacon.stays.map {
            "{\"site\": \"\(site($0.store))\", \"from_s\": \(seconds($0.from)), \"until_s\": \(seconds($0.until))}"
        }
        return "{\"uuid\": \"\(beacon.identity.uuid)\", \"major\": \(beacon.identity.major), "
            + "\"minor\": \(beacon.identity.minor), \"format\": \"\(beacon.battery.format.rawValue)\", "
            + "\"interval_s\": \(beacon.interval.seconds),\n \"register\": \(register ?? "null"),\n"
            + " \"stays\": [\(stays.joined(separator: ", "))],\n"
            + " \"died_at_s\": \(beacon.diedAt.map { "\(seconds($0))" } ?? "null"), "
            + "\"moved_at_s\": \(beacon.movedAt.map { "\(seconds($0))" } ?? "null"), "
            + "\"moved_to\": \(beacon.movedTo.map { "\"\(site($0))\"" } ?? "null"),"
    }

    /// The name of a store, which counts from 1 as the files do.
    private func site(_ store: Int) -> String { "store-\(store + 1)" }

    private func seconds(_ instant: Instant) -> Double { (instant - .origin).seconds }
}
