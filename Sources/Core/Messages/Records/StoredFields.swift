/// The records that are no states of regions, by their keys or the beginning of these. No region id has a slash in it, so
/// the key of a state begins with none of them.
enum RecordPrefix: String {
    /// A whole key: the current span of coverage.
    case coverage = "/coverage"
    case fix = "/fix/"
    case clearance = "/clear/"
    case definition = "/monitor/"
    case settling = "/settled/"
    /// A whole key: a store's day under way.
    case day = "/today"
    /// A region on that day.
    case today = "/today/"
    /// A region on a day before it.
    case pastDay = "/day/"
    case people = "/people/"
    case learning = "/learned/"
    /// A whole key: the zones of a store that were walked.
    case walked = "/walked"

    func key(_ name: String) -> String { rawValue + name }

    /// Returns the name in a key; `nil` for a key that begins in another way.
    func name(ofKey key: String) -> String? {
        guard key.utf8.starts(with: rawValue.utf8) else { return nil }
        return String(decoding: key.utf8.dropFirst(rawValue.utf8.count), as: UTF8.self)
    }
}

/// One line of `key=value` words, the format of stored records.
///
/// Each time is in it twice, in microseconds. The monotonic time is right until the next boot, whatever happens to the
/// clock. The wall time is for later boots. A replay has only its capture's clock, so its records have only wall times.
struct StoredFields {
    private let words: [Substring: Substring]
    private let timebase: Timebase
    private let isSameBoot: Bool

    /// - Parameters:
    /// - timebase: relates wall times to this process's monotonic clock.
    /// - bootID: identifies the boot of the monotonic clock; `nil` where only wall times count.
    /// - Returns: `nil` for other octets: a damaged record counts as none.
    init?(_ octets: [UInt8], _ timebase: Timebase, bootID: String?) {
        guard let words = Self.words(of: octets) else { return nil }
        self.words = words
        self.timebase = timebase
        isSameBoot = bootID != nil && words["boot"].map(String.init) == bootID
    }

    /// Returns the values of a record's words by their keys; `nil` for other octets.
    static func words(of octets: [UInt8]) -> [Substring: Substring]? {
        guard let text = String(validating: octets, as: UTF8.self) else { return nil }
        var words: [Substring: Substring] = [:]
        for word in text.split(separator: " ") {
            guard let equals = word.firstIndex(of: "=") else { return nil }
            words[word[..<equals]] = word[word.index(after: equals)...]
        }
        return words
    }

    subscript(key: Substring) -> Substring? { words[key] }

    /// Returns the value of a word; `nil` where it is missing or damaged.
    func value<Value: LosslessStringConvertible>(_ key: Substring) -> Value? {
        words[key].flatMap { Value(String($0)) }
    }

    /// Returns the time written by `time`.
    func instant(_ name: String) -> Instant? {
        if isSameBoot { return value("\(name)_us").map(Instant.init(microseconds:)) }
        return wall(name).map(timebase.instant)
    }

    /// Returns the wall time of that time, by the clock at writing.
    func wall(_ name: String) -> WallTime? {
        value("\(name)_wall_us").map(WallTime.init(microseconds:))
    }

    /// Returns the words that identify the boot of the monotonic clock.
    static func boot(_ bootID: String?) -> [String] { bootID.map { ["boot=\($0)"] } ?? [] }

    static func time(_ name: String, _ instant: Instant, _ timebase: Timebase, bootID: String?) -> [String] {
        (bootID == nil ? [] : ["\(name)_us=\(instant.microseconds)"])
            + ["\(name)_wall_us=\(timebase.wall(instant).microseconds)"]
    }
}

/// The stored part of the current span of coverage, so that the time until the next process gets a span too.
package struct StoredCoverage: Hashable, Sendable {
    package var radio: CoveredRadio
    package var from: Instant
    /// The published end of the span before, in wall time by the clock at that moment.
    var fromWall: WallTime
    /// The last time at which the process is known to have run.
    package var seen: Instant
}

extension StoredCoverage {
    package static let key = RecordPrefix.coverage.rawValue

    /// - Parameter bootID: identifies the boot of the monotonic clock; `nil` where instants mean nothing to another
    ///   process.
    package func encoded(_ timebase: Timebase, bootID: String?) -> [UInt8] {
        var words = ["v=1", "radio=\(radio.word)"] + StoredFields.boot(bootID)
        if bootID != nil { words.append("from_us=\(from.microseconds)") }
        words.append("from_wall_us=\(fromWall.microseconds)")
        words += StoredFields.time("seen", seen, timebase, bootID: bootID)
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads the octets of `encoded`; `nil` for any other record, and for a damaged one.
    package init?(_ octets: [UInt8], key: String, _ timebase: Timebase, bootID: String?) {
        guard key == Self.key, let words = StoredFields(octets, timebase, bootID: bootID), words["v"] == "1",
            let radio = words["radio"].flatMap({ CoveredRadio(word: String($0)) }),
            let from = words.instant("from"), let seen = words.instant("seen"), let fromWall = words.wall("from")
        else { return nil }
        self.init(radio: radio, from: from, fromWall: fromWall, seen: seen)
    }
}

/// The record of a deferred fix, which outlives the process: the fields of messages, in JSON.
package enum StoredFix {
    /// Enough digits for each time since 1970 in microseconds, so that keys sort by time.
    private static let digits = 20

    /// Returns a key that no other fix of the batch has. Keys sort by time.
    ///
    /// - Parameter number: distinguishes fixes of one time.
    package static func key(_ fix: Fix, _ number: Int) -> String {
        RecordPrefix.fix.key("\(padded(max(fix.at.microseconds, 0)))-\(padded(Int64(max(number, 0))))")
    }

    /// Returns whether a record is that of a fix.
    package static func isKey(_ key: String) -> Bool { RecordPrefix.fix.name(ofKey: key) != nil }

    private static func padded(_ number: Int64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    package static func encoded(_ fix: Fix) -> [UInt8] {
        var json = JSONWriter()
        fix.write(to: &json)
        return json.finish()
    }

    /// Returns `nil` for octets that `encoded` did not write.
    package static func read(_ value: [UInt8]) -> Fix? {
        guard var fields = try? PayloadFields(value) else { return nil }
        return try? Fix(&fields)
    }
}

/// The record of a topic that a later process may have to clear at the broker: retained messages of a previous site and
/// gateway id, and of integrations. Only its key counts, except for a page of beacons: its value is the page.
package enum StoredClearance {
    package static func key(_ topic: String) -> String { RecordPrefix.clearance.key(topic) }

    /// Returns the topic that may have to be cleared; `nil` for any other record.
    package static func topic(ofKey key: String) -> String? { RecordPrefix.clearance.name(ofKey: key) }
}

/// The record of a region that a request registered, so that it outlives the process: the request's own text.
package enum StoredDefinition {
    package static func key(_ region: String) -> String { RecordPrefix.definition.key(region) }

    /// Returns the definition in a record; `nil` for any other record, and for a damaged one.
    package static func read(_ octets: [UInt8], key: String) -> RegionDefinition? {
        RecordPrefix.definition.name(ofKey: key) == nil ? nil : try? RegionDefinition(text: octets)
    }
}

/// The records of expanded regions that have settled. Their instances alone do not show it: there may be none.
package struct StoredSettling: Sendable {
    private var definitions: [String: [UInt8]] = [:]

    package init() {}

    package static func key(_ region: String) -> String { RecordPrefix.settling.key(region) }

    package static func encoded(_ region: BeaconRegion) -> [UInt8] {
        let words =
            ["v=1", "expand=\(region.expansion.rawValue)"] + RegionRecord.Kind.beacon(of: region.constraint).words
        return Array(words.joined(separator: " ").utf8)
    }

    /// Takes a record; `false` for one of another kind.
    package mutating func take(_ octets: [UInt8], key: String) -> Bool {
        guard let region = RecordPrefix.settling.name(ofKey: key) else { return false }
        definitions[region] = octets
        return true
    }

    /// Returns whether the region has settled. One with another definition, or of another version, has not.
    func has(_ region: MonitoredRegion) -> Bool {
        guard case .beacon(let beacons) = region else { return false }
        return definitions[region.id] == Self.encoded(beacons)
    }

    package var regions: [String] { definitions.keys.sorted() }
}
