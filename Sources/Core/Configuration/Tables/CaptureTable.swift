/// `[capture]`: the recent HCI events that are kept in memory and written where they are asked for.
package struct CaptureSettings: Hashable, Sendable {
    package var max_MiB: Int
    /// The folder for capture files.
    package var directory: String
    /// Capture files that are kept; the oldest give way.
    package var maxFiles: Int
}

struct CaptureTable: SettingsTable {
    static let tableName = "capture"

    let enabled = Key(
        "enabled", default: false, .flag, "Whether the latest Bluetooth events are kept, to be written on SIGUSR1.")
    let max_MiB = Key("max_mib", default: 4, .integer(1...64), "Mebibytes of memory for them.")
    let directory = Key(
        "directory", default: "", .pathOrEmpty, "The folder for capture files. Empty: `gateway.state_dir`.")
    let maxFiles = Key(
        "max_files", default: 4, .integer(1...1000), "Capture files that are kept; the oldest give way.")

    /// `nil` where it is not enabled; everything is checked all the same.
    func read(_ reader: inout TableReader, stateDirectory: String) -> CaptureSettings? {
        let isEnabled = reader.value(enabled)
        let (max_MiB, maxFiles) = (reader.value(max_MiB), reader.value(maxFiles))
        let directory = reader.value(directory)
        guard isEnabled else { return nil }
        return CaptureSettings(
            max_MiB: max_MiB, directory: directory.isEmpty ? stateDirectory : directory, maxFiles: maxFiles)
    }
}
