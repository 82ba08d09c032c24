struct RotationTable: SettingsTable {
    static let tableName = "rotation"

    let unknownAfter = Key(
        "unknown_after_s", default: .seconds(2), .seconds(0.1...3600),
        "Seconds of silence until a transmitter's proximity is `unknown`.")
    let resolveAfter = Key(
        "resolve_after_s", default: .seconds(10), .seconds(0.1...86400),
        "Seconds of silence until a transmitter leaves the ranged list; more than `unknown_after_s`.")

    func read(_ reader: inout TableReader) -> (unknownAfter: TimeSpan, resolveAfter: TimeSpan) {
        let unknown = reader.value(unknownAfter)
        let resolve = reader.value(resolveAfter)
        if resolve <= unknown {
            reader.refuse(
                resolveAfter, resolve, beside: unknownAfter.name,
                "must be more than unknown_after_s (\(unknown.seconds.plain)), at most 86400")
        }
        return (unknown, resolve)
    }
}
