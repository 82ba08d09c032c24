/// The visits of one region on one day.
package struct DayCounts: Hashable, Sendable {
    /// Visits that touch the day so far.
    var visits: Int64 = 0
    /// Visits that began in each hour.
    var entries: [Int64]
    /// The stays that ended.
    var stays = StayHistogram()

    init(hours: Int) { entries = Array(repeating: 0, count: hours) }
}

/// The sums of the counts of people that were published of one region on one day. They say no more than those counts.
package struct PeopleDay: Hashable, Sendable {
    var region: String
    var entered: Int64 = 0
    var left: Int64 = 0
    /// At the end of the last count.
    var present: Int64 = 0
    /// The numbers that counts left out.
    var omitted: Int64 = 0
    var isPartial = false
    /// The end of the last count; `nil` before the first.
    var to: WallTime?

    mutating func add(_ count: VisitCount) {
        entered = min(entered + (count.entered ?? 0), StoredDays.most)
        left = min(left + (count.left ?? 0), StoredDays.most)
        omitted = min(omitted + count.omitted, StoredDays.most)
        (present, to) = (count.present, count.to)
        isPartial = isPartial || count.isPartial
    }
}

/// How long stays were, in bins: up to 32 s each second has one, beyond that each has a thirty-second of its value or less.
///
/// So a day of any number of stays takes the same room, and a median is right to 3 %.
struct StayHistogram: Hashable, Sendable {
    /// Some days; what is longer counts as that.
    private static let longest_s = 1 << 22

    private(set) var counts: [Int: Int64] = [:]

    mutating func record(_ stay: TimeSpan) {
        let seconds = (min(max(stay, .zero), .seconds(Self.longest_s)).microseconds + 500_000) / 1_000_000
        counts[Self.bin(Int(seconds)), default: 0] += 1
    }

    /// Seconds; `nil` without any stay.
    var median_s: Int64? {
        let total = counts.values.reduce(0, +)
        guard total > 0 else { return nil }
        return (length_s(atRank: (total - 1) / 2) + length_s(atRank: total / 2)) / 2
    }

    private func length_s(atRank rank: Int64) -> Int64 {
        var seen: Int64 = 0
        for (bin, count) in counts.sorted(by: { $0.key < $1.key }) {
            seen += count
            if seen > rank { return Self.middle_s(bin) }
        }
        return 0
    }

    private static func bin(_ seconds: Int) -> Int {
        var (value, doublings) = (seconds, 0)
        while value >= 32 { (value, doublings) = (value >> 1, doublings + 1) }
        return 16 * doublings + value
    }

    private static func middle_s(_ bin: Int) -> Int64 {
        if bin < 32 { return Int64(bin) }
        let doublings = min(bin / 16 - 1, 20)
        return Int64(((bin - 16 * doublings) << doublings) + ((1 << doublings) - 1) / 2)
    }

    /// `12:3,40:1`: a bin and its count.
    fileprivate var text: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }

    fileprivate init?(text: Substring) {
        for pair in text.split(separator: ",") {
            let numbers = pair.split(separator: ":").compactMap { Int64($0) }
            guard numbers.count == 2, 0...1_000 ~= numbers[0], 1...StoredDays.most ~= numbers[1] else { return nil }
            counts[Int(numbers[0])] = numbers[1]
        }
    }

    init() {}
}

/// The records of a store's days, so that these outlive the process: the day under way, a record for each of its regions, and the
/// curve of each region on each of the last seven days.
package enum StoredDays: Hashable, Sendable {
    /// - Parameters:
    ///   - number: the days since 1970-01-01 on the store's calendar.
    ///   - from: the beginning of the day: it is another one in another zone.
    ///   - heard_s: the seconds of each hour in which the store could hear.
    case day(number: Int64, from: WallTime, heard_s: [Int64], omitted: Int64)
    case today(region: String, number: Int64, DayCounts)
    case past(region: String, number: Int64, entries: [Int64])
    case people(number: Int64, PeopleDay)

    /// No count grows beyond that, so that no sum overflows.
    static let most: Int64 = 1_000_000_000_000

    package var key: String {
        switch self {
        case .day: RecordPrefix.day.rawValue
        case .today(let region, _, _): RecordPrefix.today.key(region)
        case .past(let region, let number, _): RecordPrefix.pastDay.key("\(number)/" + region)
        case .people(_, let day): RecordPrefix.people.key(day.region)
        }
    }

    package var encoded: [UInt8] {
        let words: [String] =
            switch self {
            case .day(let number, let from, let heard_s, let omitted):
                [
                    "v=1", "day=\(number)", "from_us=\(from.microseconds)", "heard_s=\(Self.text(heard_s))",
                    "omitted=\(omitted)",
                ]
            case .today(_, let number, let counts):
                [
                    "v=1", "day=\(number)", "visits=\(counts.visits)", "entries=\(Self.text(counts.entries))",
                    "stays=\(counts.stays.text)",
                ]
            case .past(_, _, let entries): ["v=1", "entries=\(Self.text(entries))"]
            case .people(let number, let day):
                [
                    "v=1", "day=\(number)", "sums=\(Self.text([day.entered, day.left, day.present, day.omitted]))",
                    "partial=\(day.isPartial)", "to_us=\(day.to.map { "\($0.microseconds)" } ?? "")",
                ]
            }
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads what `encoded` wrote; `nil` for any other record, and for one that is damaged.
    package init?(_ octets: [UInt8], key: String) {
        guard [RecordPrefix.day, .pastDay, .people].contains(where: { $0.name(ofKey: key) != nil }),
            let words = StoredFields.words(of: octets), words["v"] == "1"
        else { return nil }
        func number(_ name: Substring) -> Int64? {
            words[name].flatMap { Int64($0) }.flatMap { 0...Self.most ~= $0 ? $0 : nil }
        }
        if key == RecordPrefix.day.rawValue {
            guard let day = number("day"), let from_us = words["from_us"].flatMap({ Int64($0) }),
                let heard_s = Self.numbers(words["heard_s"]), let omitted = number("omitted")
            else { return nil }
            self = .day(number: day, from: WallTime(microseconds: from_us), heard_s: heard_s, omitted: omitted)
        } else if let region = RecordPrefix.today.name(ofKey: key) {
            guard let day = number("day"), let visits = number("visits"), let entries = Self.numbers(words["entries"]),
                let stays = StayHistogram(text: words["stays"] ?? "")
            else { return nil }
            var counts = DayCounts(hours: 0)
            (counts.visits, counts.entries, counts.stays) = (visits, entries, stays)
            self = .today(region: region, number: day, counts)
        } else if let region = RecordPrefix.people.name(ofKey: key) {
            guard let number = number("day"), let sums = Self.numbers(words["sums"]), sums.count == 4 else {
                return nil
            }
            self = .people(
                number: number,
                PeopleDay(
                    region: region, entered: sums[0], left: sums[1], present: sums[2], omitted: sums[3],
                    isPartial: words["partial"] == "true",
                    to: words["to_us"].flatMap { Int64($0) }.map { WallTime(microseconds: $0) }))
        } else {
            let levels = (RecordPrefix.pastDay.name(ofKey: key) ?? "").split(separator: "/", maxSplits: 1)
            guard levels.count == 2, let day = Int64(levels[0]), 0...Self.most ~= day,
                let entries = Self.numbers(words["entries"])
            else { return nil }
            self = .past(region: String(levels[1]), number: day, entries: entries)
        }
    }

    private static func text(_ numbers: [Int64]) -> String { numbers.map { String($0) }.joined(separator: ",") }

    private static func numbers(_ text: Substring?) -> [Int64]? {
        guard let words = text?.split(separator: ",") else { return nil }
        let numbers = words.compactMap { Int64($0) }.filter { 0...most ~= $0 }
        return numbers.count == words.count && numbers.count <= 64 ? numbers : nil
    }
}
