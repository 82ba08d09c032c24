/// One line of `key=value` words, as records are stored.
///
/// Times stand in it twice, in microseconds: on the monotonic clock, which is right as long as the machine is not booted anew and
/// whatever the clock is set to, and as a time of day for after that. A replay has no clock but its capture's: there, times of
/// day stand alone.
struct StoredFields {
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

/// What is stored of the span of coverage that lasts, so that the time until the next process is told of too.
package struct StoredCoverage: Hashable, Sendable {
    package var radio: CoveredRadio
    package var from: Instant
    /// The time of day that the span before was told to have ended at, by the clock as it was then.
    var fromWall: WallTime
    /// The last time at which the process is known to have run.
    package var seen: Instant

    init(radio: CoveredRadio, from: Instant, fromWall: WallTime, seen: Instant) {
        self.radio = radio
        self.from = from
        self.fromWall = fromWall
        self.seen = seen
    }

    /// No region id has a slash in it, so this is the key of no state.
    package static let key = "/coverage"

    /// - Parameter bootID: names the life of the monotonic clock; `nil` where instants mean nothing to another process.
    package func encoded(_ timebase: Timebase, bootID: String?) -> [UInt8] {
        var words = ["v=1", "radio=\(radio.word)"] + StoredFields.boot(bootID)
        if bootID != nil { words.append("from_us=\(from.microseconds)") }
        words.append("from_wall_us=\(fromWall.microseconds)")
        words += StoredFields.time("seen", seen, timebase, bootID: bootID)
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads what `encoded` wrote; `nil` for any other record, and for one that is damaged.
    package init?(_ octets: [UInt8], key: String, _ timebase: Timebase, bootID: String?) {
        guard key == Self.key, let words = StoredFields(octets, timebase, bootID: bootID), words["v"] == "1",
            let radio = words["radio"].flatMap({ CoveredRadio(word: String($0)) }),
            let from = words.instant("from"), let seen = words.instant("seen"), let fromWall = words.wall("from")
        else { return nil }
        self.init(radio: radio, from: from, fromWall: fromWall, seen: seen)
    }
}

/// A fix that waits to be told with others, as it outlives the process: the fields that messages have, in JSON.
package enum StoredFix {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/fix/"
    /// Every time since 1970 has as many in microseconds, or fewer.
    private static let digits = 20

    /// The key of no other fix, which an earlier process may have kept and this one could not read: by time and number.
    ///
    /// - Parameter number: tells fixes of one time apart.
    package static func key(_ fix: Fix, _ number: Int) -> String {
        "\(prefix)\(padded(max(fix.at.microseconds, 0)))-\(padded(Int64(max(number, 0))))"
    }

    /// Whether a record is that of a fix. Their keys sort by time.
    package static func isKey(_ key: String) -> Bool { key.hasPrefix(prefix) }

    private static func padded(_ number: Int64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    package static func encoded(_ fix: Fix) -> [UInt8] {
        var json = JSONWriter()
        fix.write(to: &json)
        return json.finish()
    }

    /// `nil` for what was not written by `encoded`.
    package static func read(_ value: [UInt8]) -> Fix? {
        guard var fields = try? PayloadFields(value) else { return nil }
        return try? Fix(&fields)
    }
}

/// How it is stored that the broker keeps something which a later process may have to clear: what a former gateway has retained, and what is
/// told beside regions' states. There is nothing to know but the topic.
package enum StoredClearance {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/clear/"

    package static func key(_ topic: String) -> String { prefix + topic }

    /// The topic that may have to be cleared; `nil` for any other record.
    package static func topic(ofKey key: String) -> String? {
        key.utf8.starts(with: prefix.utf8) ? String(key.dropFirst(prefix.count)) : nil
    }
}

/// How a region that a request registered is stored, so that it outlives the process: the request's own text.
package enum StoredDefinition {
    /// No region id has a slash in it, so this is the key of no state.
    private static let prefix = "/monitor/"

    package static func key(_ region: String) -> String { prefix + region }

    /// The definition in a record; `nil` for any other record, and for one that is damaged.
    package static func read(_ octets: [UInt8], key: String) -> RegionDefinition? {
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        return try? RegionDefinition(text: octets)
    }
}
