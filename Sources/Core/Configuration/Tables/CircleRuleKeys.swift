/// The rules of circles that `[regions]` has for all and a `[[region]]` may have for itself.
struct CircleRuleKeys: KeyGroup {
    let cushion = Key(
        "cushion_m", default: 20, .number(0...100_000),
        "Metres beyond the boundary of a circle where a crossing counts; more where a fix is less accurate.")
    let crossingAfter = Key(
        "crossing_after_s", default: .seconds(20), .seconds(0...86400),
        "Seconds that fixes must stay there, two at least; and seconds of fixes until a circle has its first state.")

    /// - Parameters:
    ///   - rules: what holds where the table sets nothing; `nil` for the defaults.
    ///   - unknownStateAfter: the key that circles share with beacons.
    func read(
        _ reader: inout TableReader, default rules: CircleRules? = nil, unknownStateAfter: TimeSpan
    ) -> CircleRules {
        CircleRules(
            cushion_m: reader.value(cushion, default: rules?.cushion_m),
            crossingAfter: reader.value(crossingAfter, default: rules?.crossingAfter),
            unknownStateAfter: unknownStateAfter)
    }
}
