import ArgumentParser
import Core

/// From when to when a simulated store is open on each day, as the command line says it: `08:00-20:00`.
struct OpeningHours: ExpressibleByArgument, Hashable, CustomStringConvertible {
    let hours: Range<TimeSpan>

    /// The first half of each day.
    static let halfDay = OpeningHours(hours: TimeSpan.zero..<TimeSpan.seconds(12 * 3600))

    private init(hours: Range<TimeSpan>) { self.hours = hours }

    /// `nil` for anything but two times of a day, the first before the second. A day ends at 24:00.
    init?(argument: String) {
        let times = argument.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let opens = times[0], let closes = times[1], opens < closes else { return nil }
        hours = TimeSpan.seconds(60 * opens)..<TimeSpan.seconds(60 * closes)
    }

    private static func minute(_ text: Substring) -> Int? {
        let digits = text.split(separator: ":", omittingEmptySubsequences: false)
        guard digits.count == 2, digits.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = Int(digits[0]), let minute = Int(digits[1]), minute < 60, 60 * hour + minute <= 24 * 60
        else { return nil }
        return 60 * hour + minute
    }

    var description: String { Self.text(hours.lowerBound) + "-" + Self.text(hours.upperBound) }

    private static func text(_ time: TimeSpan) -> String {
        let minute = time.microseconds / 60_000_000
        return [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
