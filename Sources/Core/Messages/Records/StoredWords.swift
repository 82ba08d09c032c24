/// One line of `key=value` words, as records are stored.
///
/// Times stand in it twice, in microseconds: on the monotonic clock, which is right as long as the machine is not booted anew and
/// whatever the clock is set to, and as a time of day for after that. A replay has no clock but its capture's: there, times of
/// day stand alone.
struct StoredWords {
    private let words: [Substring: Substring]
    private let timebase: Timebase
    private let isSameBoot: Bool

    /// - Parameters:
    ///   - timebase: relates times of day to this process's monotonic clock.
    ///   - bootID: names the life of the monotonic clock; `nil` where times of day alone count.
    /// - Returns: `nil` for what is no such line: a damaged record is as good as none.
    package init?(_ octets: [UInt8], _ timebase: Timebase, bootID: String?) {
        guard let text = String(validating: octets, as: UTF8.self) else { return nil }
        var words: [Substring: Substring] = [:]
        for word in text.split(separator: " ") {
            guard let equals = word.firstIndex(of: "=") else { return nil }
            words[word[..<equals]] = word[word.index(after: equals)...]
        }
        self.words = words
        self.timebase = timebase
        isSameBoot = bootID != nil && words["boot"].map(String.init) == bootID
    }

    subscript(key: Substring) -> Substring? { words[key] }

    /// The time that `time` wrote.
    package func instant(_ name: String) -> Instant? {
        if isSameBoot { return words["\(name)_us"].flatMap { Int64($0) }.map(Instant.init(microseconds:)) }
        return wall(name).map(timebase.instant)
    }

    /// The same by the time of day, as the clock was then.
    func wall(_ name: String) -> WallTime? {
        words["\(name)_wall_us"].flatMap { Int64($0) }.map(WallTime.init(microseconds:))
    }

    /// The words that name the life of the monotonic clock.
    static func boot(_ bootID: String?) -> [String] { bootID.map { ["boot=\($0)"] } ?? [] }

    /// The words that name a time.
    static func time(_ name: String, _ instant: Instant, _ timebase: Timebase, bootID: String?) -> [String] {
        (bootID == nil ? [] : ["\(name)_us=\(instant.microseconds)"])
            + ["\(name)_wall_us=\(timebase.wall(instant).microseconds)"]
    }
}
