extension StoreTruth {
    /// The truth as one JSON object, in pieces, so that days of it need no memory:
    ///
    ///     {"scenario": "first-run", "duration_s": 60.0, "gateway": {"x_m": 2.0, "y_m": 8.0}, "beacons": [
    ///     {"actor": 8, "kind": "phone", "uuid": "39ED…", "major": 2, "minor": 1, "measured_power_dbm": -59,
    ///      "entered_at_s": 11.0, "left_at_s": 35.2,
    ///      "addresses": [{"address": "5C:…", "from_s": 11.0, "until_s": 23.0}, …],
    ///      "distance_m": [8.25, 6.9, …]},
    ///     …]}
    ///
    /// Times count from the beginning of the scenario, which is the wall time that the capture was begun with.
    /// A shop with rooms has `gateways`, one in each, with its `floor` where there are several, and of each beacon `room`, from 1,
    /// once a second.
    /// `distance_m` has one number a second from `entered_at_s` on, to the centimetre.
    package func writeJSON<Failure>(_ write: (String) throws(Failure) -> Void) throws(Failure) {
        // Names are the scenarios' own: letters and dashes, nothing that JSON would have escaped.
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
