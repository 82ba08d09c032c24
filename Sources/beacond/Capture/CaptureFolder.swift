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

    /// Its name until it is whole. One that a crash has left is written over by the next.
    private static let unfinished = ".capture.part"

    /// Writes everything that is in the ring now, then removes the oldest files beyond the limit.
    ///
    /// - Returns: what was written, for the log.
    /// - Throws: where it could not be written to the end; nothing of it is left, and the older files stay as they were.
    func dump(_ recent: RecentEvents) throws(FileError) -> String {
        let part = settings.directory + "/" + Self.unfinished
        let path = settings.directory + "/" + Self.name(at: SystemClock.wall)
        let count: UInt64
        do throws(FileError) {
            count = try write(recent, to: part)
            guard rename(part, path) == 0 else { throw FileError(path: path, operation: .create, code: errno) }
        } catch {
            unlink(part)
            throw error
        }
        for name in Self.surplus(names(), limit: settings.maxFiles) { unlink(settings.directory + "/" + name) }
        return "\(path): \(count) events"
    }

    private func write(_ recent: RecentEvents, to path: String) throws(FileError) -> UInt64 {
        let timebase = SystemClock.timebase
        var writer = try CaptureWriter(path: path, mode: 0o640)
        let end = recent.newest
        var piece = recent.piece(from: EventRing.Cursor(), through: end)
        while !piece.isEmpty {
            try writer.write(piece) { timebase.wall($0) }
            piece = recent.piece(from: piece.next, through: end)
        }
        try writer.sync()
        return writer.count
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
