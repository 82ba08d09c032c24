import Agent
import Core
import Glibc

/// The folder that captures of a running gateway are written to, and how many of them stay.
struct CaptureFolder {
    let settings: CaptureSettings

    /// `capture-20261121T074512Z.btsnoop`, by the time of day in UTC, so that names sort by age.
    static func name(at time: WallTime) -> String { stem(time) + ending }

    /// The same, and where that second has captures already, one that sorts after them: `capture-20261121T074512Z_002.btsnoop`.
    ///
    /// - Returns: `nil` where the second has as many as there are names for.
    static func name(at time: WallTime, besides names: [String]) -> String? {
        let stem = stem(time)
        let last = names.filter { isCapture($0) && $0.hasPrefix(stem) }.max()
        guard let last else { return stem + ending }
        let number = (Int(last.dropFirst(stem.count + 1).prefix(counterLength)) ?? 1) + 1
        let digits = String(number)
        guard digits.count <= counterLength else { return nil }
        return stem + "_" + String(repeating: "0", count: counterLength - digits.count) + digits + ending
    }

    /// Those of the names that have to go so that `limit` captures stay, the oldest; other files are none of ours.
    ///
    /// - Parameter written: has just been written, and stays. On a machine whose clock is behind its name may be the first.
    static func surplus(_ names: [String], besides written: String, limit: Int) -> [String] {
        let others = names.filter { isCapture($0) && $0 != written }.sorted()
        return Array(others.prefix(max(0, others.count + 1 - limit)))
    }

    private static let ending = ".btsnoop"
    /// Digits of the number that tells captures of one second from each other. What stands before it sorts after a full stop.
    private static let counterLength = 3

    private static func stem(_ time: WallTime) -> String {
        let digits = Timestamp.text(time).prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
        return "capture-\(digits)Z"
    }

    private static let patterns = [stem(.unixEpoch) + ending, stem(.unixEpoch) + "_000" + ending]

    private static func isCapture(_ name: String) -> Bool {
        patterns.contains { pattern in
            name.utf8.count == pattern.utf8.count
                && zip(name.utf8, pattern.utf8).allSatisfy { $0 == $1 || (isDigit($0) && isDigit($1)) }
        }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }

    /// Its name until it is whole. One that a crash has left is written over by the next.
    private static let unfinished = ".capture.part"

    /// Writes everything that is in the ring now, then removes the oldest files beyond the limit.
    ///
    /// - Returns: what was written, for the log.
    /// - Throws: where it could not be written to the end; nothing of it is left, and the older files stay as they were.
    func dump(_ recent: RecentEvents) throws(FileError) -> String {
        let part = settings.directory + "/" + Self.unfinished
        let time = SystemClock.wall
        guard let name = Self.name(at: time, besides: names()) else {
            throw FileError(path: settings.directory + "/" + Self.name(at: time), operation: .create, code: EEXIST)
        }
        let path = settings.directory + "/" + name
        let count: UInt64
        do throws(FileError) {
            count = try write(recent, to: part)
            guard rename(part, path) == 0 else { throw FileError(path: path, operation: .create, code: errno) }
        } catch {
            unlink(part)
            throw error
        }
        for old in Self.surplus(names(), besides: name, limit: settings.maxFiles) {
            unlink(settings.directory + "/" + old)
        }
        return "\(path): \(count) events"
    }

    /// Tries whether a capture could be written, and leaves everything as it was.
    func tryWriting() throws(FileError) { try NamedFile.tryWriting(beside: settings.directory + "/" + Self.unfinished) }

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
