import Agent
import Core
import Glibc

/// The folder for captures of a running gateway, with its limit on their number.
struct CaptureFolder {
    let settings: CaptureSettings

    /// `capture-20261121T074512Z.btsnoop`, by the wall clock in UTC, so that names sort by age.
    static func name(at time: WallTime) -> String { stem(time) + ending }

    /// A name for a second that may have captures already; it sorts after them: `capture-20261121T074512Z_002.btsnoop`.
    ///
    /// - Returns: `nil` where the second has used up all names.
    static func name(at time: WallTime, besides names: [String]) -> String? {
        let stem = stem(time)
        let last = names.filter { isCapture($0) && $0.hasPrefix(stem) }.max()
        guard let last else { return stem + ending }
        let number = (Int(last.dropFirst(stem.count + 1).prefix(counterLength)) ?? 1) + 1
        let digits = String(number)
        guard digits.count <= counterLength else { return nil }
        return stem + "_" + String(repeating: "0", count: counterLength - digits.count) + digits + ending
    }

    /// The oldest captures to remove so that `limit` stay. Files with other names are not touched.
    ///
    /// - Parameter written: the capture just written, which stays. If the machine's clock is behind, its name may sort
    /// first.
    static func surplus(_ names: [String], besides written: String, limit: Int) -> [String] {
        let others = names.filter { isCapture($0) && $0 != written }.sorted()
        return Array(others.prefix(max(0, others.count + 1 - limit)))
    }

    private static let ending = ".btsnoop"
    /// Digits of the number that distinguishes captures of one second. The character before the number sorts after a
    /// full stop.
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

    /// The file's name until it is complete. The next capture overwrites one that a crash has left.
    private static let unfinished = ".capture.part"

    /// Writes everything that is in the ring now, then removes the oldest files beyond the limit.
    ///
    /// - Returns: a line for the log.
    /// - Throws: where the capture could not be completed. Nothing of it is left, and the older files are unchanged.
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

    /// Checks that a capture could be written, and leaves everything as it was.
    func tryWriting() throws(FileError) { try NamedFile.tryWriting(beside: settings.directory + "/" + Self.unfinished) }

    private func write(_ recent: RecentEvents, to path: String) throws(FileError) -> UInt64 {
        let timebase = SystemClock.timebase
        let writer = try CaptureWriter(path: path, mode: 0o640)
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
