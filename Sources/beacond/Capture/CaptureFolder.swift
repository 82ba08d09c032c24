import Configuration
import Daemon
import Glibc
import HCI
import Messages

/// The folder that captures of a running gateway are written to, and how many of them stay.
struct CaptureFolder {
    let settings: CaptureSettings

    /// `capture-20261121T074512Z.btsnoop`, by the time of day in UTC, so that names sort by age.
    static func name(at time: WallTime) -> String {
        let digits = Timestamp.text(time).prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
        return "capture-\(digits)Z.btsnoop"
    }

    /// Those of the names that have to go so that `limit` captures stay, the oldest; other files are none of ours.
    static func surplus(_ names: [String], limit: Int) -> [String] {
        let captures = names.filter(isCapture).sorted()
        return Array(captures.prefix(max(0, captures.count - limit)))
    }

    private static func isCapture(_ name: String) -> Bool {
        let pattern = Self.name(at: .unixEpoch)
        return name.utf8.count == pattern.utf8.count
            && zip(name, pattern).allSatisfy { $0 == $1 || ($0.isASCII && $0.isNumber && $1.isNumber) }
    }

    /// Writes everything that is in the ring now, then removes the oldest files beyond the limit.
    ///
    /// - Returns: what was written, for the log.
    /// - Throws: after removing the file that could not be written to the end.
    func dump(_ recent: RecentEvents) throws(FileError) -> String {
        let timebase = SystemClock.timebase
        let path = settings.directory + "/" + Self.name(at: SystemClock.wall)
        var writer = try CaptureWriter(path: path, mode: 0o640)
        do throws(FileError) {
            let end = recent.newest
            var piece = recent.piece(from: EventRing.Cursor(), through: end)
            while !piece.isEmpty {
                try writer.write(piece) { timebase.wall($0) }
                piece = recent.piece(from: piece.next, through: end)
            }
            try writer.sync()
        } catch {
            unlink(path)
            throw error
        }
        for name in Self.surplus(names(), limit: settings.maxFiles) { unlink(settings.directory + "/" + name) }
        return "\(path): \(writer.count) events"
    }

    private func names() -> [String] {
        guard let folder = opendir(settings.directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { octets in
                    String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
