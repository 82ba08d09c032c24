import Glibc

/// The Bluetooth radio kill switches of `/sys/class/rfkill`, one folder each:
///
///     type  "bluetooth"
///     name  the adapter, "hci0", or a machine's own switch
///     soft  "1" blocked by software
///     hard  "1" blocked by a switch or the firmware
struct KillSwitches {
    /// The names of those that are on.
    let blocked: Set<String>

    init() {
        var blocked: Set<String> = []
        for folder in Self.names(in: Self.root) where Self.line("\(Self.root)/\(folder)/type") == "bluetooth" {
            let isBlocked = ["soft", "hard"].contains { Self.line("\(Self.root)/\(folder)/\($0)") == "1" }
            if isBlocked, let name = Self.line("\(Self.root)/\(folder)/name") { blocked.insert(name) }
        }
        self.blocked = blocked
    }

    private static let root = "/sys/class/rfkill"

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The first line of a small file, without its end; `nil` where it can't be read.
    private static func line(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }
}
