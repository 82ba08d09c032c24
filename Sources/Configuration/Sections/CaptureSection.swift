/// `[capture]`.
enum CaptureSection {
    static let enabled = Key(
        "enabled", default: false, .flag, "Whether the latest Bluetooth events are kept, to be written on SIGUSR1.")
    static let max_MiB = Key("max_mib", default: 4, .integer(1...64), "Mebibytes of memory for them.")
    static let directory = Key(
        "directory", default: "", .pathOrEmpty, "The folder for capture files. Empty: `gateway.state_dir`.")
    static let maxFiles = Key(
        "max_files", default: 4, .integer(1...1000), "Capture files that are kept; the oldest give way.")

    static let table = ReferenceTable("capture", [enabled.row, max_MiB.row, directory.row, maxFiles.row])

    /// `nil` where it is not enabled; everything is checked all the same.
    static func read(_ reader: inout TableReader, stateDirectory: String) -> CaptureSettings? {
        let isEnabled = reader.value(enabled)
        let (max_MiB, maxFiles) = (reader.value(max_MiB), reader.value(maxFiles))
        let directory = reader.value(directory)
        guard isEnabled else { return nil }
        return CaptureSettings(
            max_MiB: max_MiB, directory: directory.isEmpty ? stateDirectory : directory, maxFiles: maxFiles)
    }
}
