/// `[outbox]`.
enum OutboxSection {
    static let maxEvents = Key(
        "max_events", default: 1_000_000, .integer(1...10_000_000),
        "Events that may wait for the broker; beyond it events are lost, and a `gap` says which. Spans of coverage do not count."
    )
    static let max_MiB = Key(
        "max_mib", default: 256, .integer(1...16384), "Mebibytes of disk that the outbox may take.")

    static let table = ReferenceTable("outbox", [maxEvents.row, max_MiB.row])

    static func read(_ reader: inout TableReader, stateDirectory: String) -> OutboxSettings {
        OutboxSettings(
            directory: stateDirectory, maxEvents: reader.value(maxEvents), max_MiB: reader.value(max_MiB))
    }
}
