struct DistanceTable: SettingsTable {
    static let tableName = "distance"

    /// The range of exponents that describe a room; others are clamped.
    static let exponents = 1.6...4.0

    let model = Key(
        "model", default: DistanceModel.indoor, .word,
        "From RSSI to metres. The next three keys need `log`: without this key they imply it, beside another model they are errors."
    )
    let pathLossExponent = Key(
        "path_loss_exponent", default: 2.5, Self.exponent,
        "The exponent of `log`, and of no other: 2 in the open, 3 and more among shelves. Clamped to 1.6 … 4.")
    let excessLoss = Key(
        "excess_loss_db", default: 0, .number(-30...30),
        "The loss of all beacons at 1 m beyond their measured power, for `log`. dB.")
    let room = Key(
        "room_m", default: 1_000, .number(1...1_000),
        "Metres up to which the exponent of `log` holds; beyond, a weaker signal adds hardly any distance.")
    let immediate = Key(
        "immediate_m", default: 0.5, .number(0.05...100),
        "Metres below which a beacon is `immediate`; less than `near_m`.")
    let near = Key(
        "near_m", default: 4, .number(0.05...1000), "Metres below which a beacon is `near`; from there on it is `far`.")
    let hysteresis = Key(
        "hysteresis", default: 0.15, .number(0...0.9),
        "The share of a threshold by which a distance must cross it back.")

    func read(_ reader: inout TableReader) -> DistanceSettings {
        let immediate_m = reader.value(immediate)
        let near_m = reader.value(near)
        if immediate_m >= near_m {
            reader.refuse(
                immediate, immediate_m, beside: near.name, "must be from 0.05 to less than near_m (\(near_m.plain))")
        }
        // An operator who has measured the place wants the measurement to be used.
        let isMeasured = reader.sets(pathLossExponent) || reader.sets(excessLoss) || reader.sets(room)
        let model = reader.value(model, default: isMeasured ? .log : nil)
        let (exponent, excess_db, room_m) = (
            reader.value(pathLossExponent), reader.value(excessLoss), reader.value(room)
        )
        if model != .log {
            refuse(pathLossExponent, exponent, beside: model, &reader)
            refuse(excessLoss, excess_db, beside: model, &reader)
            refuse(room, room_m, beside: model, &reader)
            reader.leaveOut(pathLossExponent)
            reader.leaveOut(excessLoss)
            reader.leaveOut(room)
        }
        return DistanceSettings(
            model: model, pathLossExponent: exponent, excessLoss_db: excess_db, room_m: room_m,
            immediate_m: immediate_m, near_m: near_m, hysteresis: reader.value(hysteresis))
    }

    /// Refuses a number that has no effect: the operator believes that it has one.
    private func refuse(
        _ key: Key<Double>, _ value: Double, beside model: DistanceModel, _ reader: inout TableReader
    ) {
        guard reader.sets(key) else { return }
        reader.refuse(
            key, value, beside: self.model.name,
            "is of model \"log\" alone, and \"\(model.rawValue)\" has numbers of its own: leave out this line, or the "
                + "model's")
    }

    /// A rule for any positive number, which is clamped: a wrong guess about the room must not keep the agent from
    /// starting.
    private static var exponent: Rule<Double> {
        let number = Rule<Double>.number(.leastNonzeroMagnitude ... .greatestFiniteMagnitude)
        var rule = number
        rule.allowed = "a finite number above 0"
        rule.read = { number.read($0).map { min(max($0, exponents.lowerBound), exponents.upperBound) } }
        return rule
    }
}

struct RangingTable: SettingsTable {
    static let tableName = "ranging"

    let mode = Key(
        "mode", default: RangingSettings.Mode.change, .word, "Publish after a change, or every `min_interval_s`.")
    let minInterval = Key(
        "min_interval_s", default: .seconds(1), .seconds(0.1...3600), "Seconds between two messages at least.")
    let maxInterval = Key(
        "max_interval_s", default: .seconds(10), .seconds(0.1...86400),
        "Seconds between two messages at most; not below `min_interval_s`.")
    let distanceFilter = Key(
        "distance_filter_m", default: 0.5, .number(0...1000), "Metres that a beacon must move to be a change.")

    func read(_ reader: inout TableReader) -> RangingSettings {
        let shortest = reader.value(minInterval)
        let longest = reader.value(maxInterval)
        if longest < shortest {
            reader.refuse(
                maxInterval, longest, beside: minInterval.name,
                "must be from min_interval_s (\(shortest.seconds.plain)) to 86400")
        }
        return RangingSettings(
            mode: reader.value(mode), minInterval: shortest, maxInterval: longest,
            distanceFilter_m: reader.value(distanceFilter))
    }
}
