/// `[outbox]`, and where it is: what may wait for the broker.
package struct OutboxSettings: Hashable, Sendable {
    /// The folder for it and for the state of the regions. One process at a time may hold it.
    package var directory: String
    /// Events that may wait.
    package var maxEvents: Int
    /// Disk that the folder may take, mebibytes.
    package var max_MiB: Int
}

struct OutboxTable: SettingsTable {
    static let tableName = "outbox"

    let maxEvents = Key(
        "max_events", default: 1_000_000, .integer(1...10_000_000),
        "Events that may wait for the broker; beyond it events are lost, and a `gap` says which. Spans of coverage and batches of fixes do not count."
    )
    let max_MiB = Key(
        "max_mib", default: 256, .integer(1...16384), "Mebibytes of disk that the outbox may take.")

    func read(_ reader: inout TableReader, stateDirectory: String) -> OutboxSettings {
        OutboxSettings(
            directory: stateDirectory, maxEvents: reader.value(maxEvents), max_MiB: reader.value(max_MiB))
    }
}
