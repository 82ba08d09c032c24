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
        var words = ["v=1", "radio=\(radio.word)"] + StoredWords.boot(bootID)
        if bootID != nil { words.append("from_us=\(from.microseconds)") }
        words.append("from_wall_us=\(fromWall.microseconds)")
        words += StoredWords.time("seen", seen, timebase, bootID: bootID)
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads what `encoded` wrote; `nil` for any other record, and for one that is damaged.
    package init?(_ octets: [UInt8], key: String, _ timebase: Timebase, bootID: String?) {
        guard key == Self.key, let words = StoredWords(octets, timebase, bootID: bootID), words["v"] == "1",
            let radio = words["radio"].flatMap({ CoveredRadio(word: String($0)) }),
            let from = words.instant("from"), let seen = words.instant("seen"), let fromWall = words.wall("from")
        else { return nil }
        self.init(radio: radio, from: from, fromWall: fromWall, seen: seen)
    }
}
