/// The truth of a scenario, to compare with the agent's results on its packets.
package struct StoreTruth: Hashable, Sendable {
    /// One iBeacon. Other devices are left out.
    struct Beacon: Hashable, Sendable {
        /// The index in `StoreScenario.actors`, as in packets.
        var actor: Int
        var kind: Actor.Kind
        var identity: BeaconIdentity
        var measuredPower_dbm: Int8
        /// The times at which it begins and ends to advertise; for visitors, at the door.
        var enteredAt: Instant
        var leftAt: Instant
        /// The addresses without a gap, from `enteredAt` to `leftAt`.
        var addresses: [AddressSpan]
        /// The true distance to the gateway at `enteredAt` and every second from then on until `leftAt`.
        ///
        /// Computed on demand: three days of a phone that never leaves are a quarter of a million numbers.
        var distances_m: some Sequence<Double> { seconds.lazy.map { distance_m(second: $0) } }

        var path: ActorPath
        package var gateway: FloorPoint
        var rooms: Rooms?

        /// The seconds since `enteredAt` of the elements of `distances_m`.
        package var seconds: Range<Int64> { 0..<max(0, (leftAt - enteredAt).microseconds + 999_999) / 1_000_000 }

        func distance_m(second: Int64) -> Double {
            path.position(at: enteredAt + .seconds(1) * second).distance_m(to: gateway)
        }

        /// Returns the room of the beacon; `nil` where the shop has no rooms.
        func room(second: Int64) -> Int? { rooms?.room(at: path.position(at: enteredAt + .seconds(1) * second)) }
    }

    var scenario: String
    var duration: TimeSpan
    package var gateway: FloorPoint
    /// The rooms of a shop with several, each with a gateway in its middle.
    var rooms: Rooms?
    /// The beacons in the order of `StoreScenario.actors`.
    var beacons: [Beacon]
}

extension StoreScenario {
    /// The ground truth, cut off at the end of the scenario.
    package var truth: StoreTruth {
        let end = Instant.origin + duration
        var beacons: [StoreTruth.Beacon] = []
        for (index, actor) in actors.enumerated() {
            guard let identity = actor.identity, actor.path.start < end else { continue }
            let addresses = actor.addresses.filter { $0.from < end }.map {
                AddressSpan(address: $0.address, from: $0.from, until: min($0.until, end))
            }
            beacons.append(
                StoreTruth.Beacon(
                    actor: index, kind: actor.kind, identity: identity, measuredPower_dbm: actor.measuredPower_dbm,
                    enteredAt: actor.path.start, leftAt: min(actor.path.end, end), addresses: addresses,
                    path: actor.path, gateway: gateway, rooms: rooms))
        }
        return StoreTruth(scenario: name, duration: duration, gateway: gateway, rooms: rooms, beacons: beacons)
    }
}

extension StoreTruth {
    /// Writes the truth as one JSON object, in pieces, so that days of it need no memory:
    ///
    ///     {"scenario": "first-run", "duration_s": 60.0, "gateway": {"x_m": 2.0, "y_m": 8.0}, "beacons": [
    ///     {"actor": 8, "kind": "phone", "uuid": "39ED…", "major": 2, "minor": 1, "measured_power_dbm": -59,
    ///      "entered_at_s": 11.0, "left_at_s": 35.2,
    ///      "addresses": [{"address": "5C:…", "from_s": 11.0, "until_s": 23.0}, …],
    ///      "distance_m": [8.25, 6.9, …]},
    ///     …]}
    ///
    /// Times count from the beginning of the scenario, the wall time at which the capture begins. A shop with rooms has
    /// `gateways`, one in each room, with its `floor` where there are several. Each of its beacons has `room`, from 1,
    /// once a second. `distance_m` has one number a second from `entered_at_s` on, to the centimetre.
    package func writeJSON<Failure>(_ write: (String) throws(Failure) -> Void) throws(Failure) {
        // Names are the scenarios' own: letters and dashes, which JSON does not escape.
        try write(
            "{\"scenario\": \"\(scenario)\", \"duration_s\": \(duration.seconds), "
                + "\"gateway\": {\"x_m\": \(gateway.x_m), \"y_m\": \(gateway.y_m)}, \(jsonGateways)\"beacons\": [")
        for (index, beacon) in beacons.enumerated() {
            try write(index == 0 ? "\n" : ",\n")
            try write(beacon.jsonHead)
            for second in beacon.seconds {
                let centimetres = (beacon.distance_m(second: second) * 100).rounded()
                try write((second == 0 ? "" : ", ") + "\(centimetres / 100)")
            }
            try write("]")
            if beacon.rooms != nil {
                let rooms = beacon.seconds.compactMap { beacon.room(second: $0).map { String($0 + 1) } }
                try write(",\n \"room\": [" + rooms.joined(separator: ", ") + "]")
            }
            try write("}")
        }
        try write("\n]}\n")
    }

    /// The gateways of a shop with rooms, in the order of their rooms, which count from 1.
    private var jsonGateways: String {
        guard let rooms else { return "" }
        let gateways = (0..<rooms.count).map { room in
            let middle = rooms.middle(of: room)
            let floor = rooms.floors > 1 ? ", \"floor\": \(rooms.floor(of: room))" : ""
            return "{\"x_m\": \(middle.x_m), \"y_m\": \(middle.y_m)\(floor)}"
        }
        return "\"gateways\": [" + gateways.joined(separator: ", ") + "], "
    }
}

extension StoreTruth.Beacon {
    fileprivate var jsonHead: String {
        let spans = addresses.map {
            "{\"address\": \"\($0.address)\", \"from_s\": \(seconds($0.from)), \"until_s\": \(seconds($0.until))}"
        }
        return "{\"actor\": \(actor), \"kind\": \"\(kind.rawValue)\", \"uuid\": \"\(identity.uuid)\", "
            + "\"major\": \(identity.major), \"minor\": \(identity.minor), "
            + "\"measured_power_dbm\": \(measuredPower_dbm), "
            + "\"entered_at_s\": \(seconds(enteredAt)), \"left_at_s\": \(seconds(leftAt)),\n"
            + " \"addresses\": [\(spans.joined(separator: ", "))],\n \"distance_m\": ["
    }

    private func seconds(_ instant: Instant) -> Double { (instant - .origin).seconds }
}
