/// The time of day in a store's time zone.
///
/// Only the I/O half knows the zones, because their rules change. It hands over the offset from UTC at any time, and the bounds of days
/// and hours follow from that.
package struct LocalTime: Sendable {
    /// Days of 24 hours in UTC.
    package static let utc = LocalTime(name: "") { _ in 0 }

    /// The zone's IANA name as configured; empty for that of the machine.
    let name: String
    /// Seconds east of UTC at a time, given in seconds since 1970.
    private let offset_s: @Sendable (Int64) -> Int

    package init(name: String, offset_s: @escaping @Sendable (Int64) -> Int) {
        self.name = name
        self.offset_s = offset_s
    }

    /// Seconds since 1970 that have a date of four digits. A time beyond counts as the first or the last of them.
    private static let dated_s: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// A day is shorter than that in any zone, also where a clock change or a new date line lengthens it.
    private static let longestDay_s: Int64 = 50 * 3_600

    func day(at time: WallTime) -> LocalDay {
        let time_s = Self.dated(Timestamp.floorDivide(time.microseconds, 1_000_000))
        let number = self.number(at: time_s)
        let from_s = first(after: time_s - Self.longestDay_s, until: time_s) { self.number(at: $0) >= number }
        let to_s = first(after: time_s, until: time_s + Self.longestDay_s) { self.number(at: $0) > number }
        return LocalDay(number: number, from_s: from_s, to_s: to_s)
    }

    /// The day of a number. Noon is within it whatever clocks do.
    func day(number: Int64) -> LocalDay {
        let noon_s = Self.dated(number.multipliedSaturating(by: 86_400).addingSaturating(43_200))
        let time_s = noon_s - Int64(offset_s(noon_s))
        return day(at: WallTime(microseconds: time_s * 1_000_000))
    }

    private static func dated(_ time_s: Int64) -> Int64 { min(max(time_s, dated_s.lowerBound), dated_s.upperBound) }

    /// The days since 1970-01-01 on a local calendar.
    private func number(at time_s: Int64) -> Int64 { Timestamp.floorDivide(time_s + Int64(offset_s(time_s)), 86_400) }

    /// The first second for which something holds that goes on holding, by bisection.
    private func first(after low_s: Int64, until high_s: Int64, _ holds: (Int64) -> Bool) -> Int64 {
        var (low_s, high_s) = (low_s, high_s)
        while high_s - low_s > 1 {
            let middle_s = low_s + (high_s - low_s) / 2
            if holds(middle_s) { high_s = middle_s } else { low_s = middle_s }
        }
        return high_s
    }
}

/// A day of a store from midnight to midnight, and its hours.
///
/// An hour is 60 minutes, counted from midnight: a day on which clocks change has 23 or 25 of them. Where a change is half an hour, the
/// last hour is half as long.
struct LocalDay: Hashable, Sendable {
    /// The days since 1970-01-01 on a local calendar.
    let number: Int64
    /// The beginnings of the hours. The first is the day's.
    let hours: [WallTime]
    /// The beginning of the next day.
    let to: WallTime

    fileprivate init(number: Int64, from_s: Int64, to_s: Int64) {
        self.number = number
        to = WallTime(microseconds: to_s * 1_000_000)
        // No zone has a longer day. What would be beyond belongs to the last hour.
        let starts = stride(from: from_s, to: max(to_s, from_s + 1), by: 3_600).prefix(TodayReport.maxHours)
        hours = starts.map { WallTime(microseconds: $0 * 1_000_000) }
    }

    var from: WallTime { hours.first ?? to }

    /// The date: `2026-11-23`.
    var name: String {
        String(Timestamp.text(WallTime(microseconds: number.multipliedSaturating(by: 86_400_000_000))).prefix(10))
    }

    /// The hour that a time belongs to; `nil` where the time is of another day.
    func hour(of time: WallTime) -> Int? {
        guard time >= from, time < to else { return nil }
        return min(Int((time - from).microseconds / 3_600_000_000), hours.count - 1)
    }

    func end(ofHour hour: Int) -> WallTime { hour + 1 < hours.count ? hours[hour + 1] : to }
}
