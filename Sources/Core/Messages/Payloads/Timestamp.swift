/// RFC 3339, UTC, with milliseconds: `2026-11-21T06:00:00.123Z`.
package enum Timestamp {
    /// Returns the text of a time. RFC 3339 has only the years 0 to 9999; times outside become its first and last one.
    package static func text(_ time: WallTime) -> String {
        let first_ms: Int64 = -62_167_219_200_000
        let last_ms: Int64 = 253_402_300_799_999
        let time_ms = min(max(milliseconds(time), first_ms), last_ms)
        let day = floorDivide(time_ms, 86_400_000)
        let inDay_ms = time_ms - day * 86_400_000
        let date = civil(daysSinceEpoch: day)
        return digits(date.year, 4) + "-" + digits(date.month, 2) + "-" + digits(date.day, 2) + "T"
            + digits(inDay_ms / 3_600_000, 2) + ":" + digits(inDay_ms / 60_000 % 60, 2) + ":"
            + digits(inDay_ms / 1_000 % 60, 2) + "." + digits(inDay_ms % 1_000, 3) + "Z"
    }

    /// Returns the whole milliseconds since the Unix epoch, cut as in the text of a time.
    static func milliseconds(_ time: WallTime) -> Int64 { floorDivide(time.microseconds, 1_000) }

    /// Returns the milliseconds between two times as their texts report them; 0 for an earlier end.
    static func milliseconds(from begin: Instant, to end: Instant, _ timebase: Timebase) -> Int64 {
        max(0, milliseconds(timebase.wall(end)) &- milliseconds(timebase.wall(begin)))
    }

    /// Reads the text of `text(_:)` and no other; `nil` also for a day that does not exist.
    static func time(_ text: String) -> WallTime? { time(text, decimals: 3...3, lastSecond: 59) }

    /// Reads a UTC time in foreign text: with none to nine decimals, and with leap seconds. `WallTime` doesn't count
    /// leap seconds. A leap second becomes the last microsecond before it, so that no time goes back.
    static func anyTime(_ text: String) -> WallTime? { time(text, decimals: 0...9, lastSecond: 60) }

    private static func time(_ text: String, decimals: ClosedRange<Int>, lastSecond: Int64) -> WallTime? {
        let octets = Array(text.utf8)
        let form = Array("dddd-dd-ddTdd:dd:dd".utf8)
        guard octets.count > form.count, octets.last == UInt8(ascii: "Z") else { return nil }
        var numbers: [Int64] = [0]
        for (octet, wanted) in zip(octets, form) {
            if wanted == UInt8(ascii: "d") {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(octet - UInt8(ascii: "0"))
            } else {
                guard octet == wanted else { return nil }
                numbers.append(0)
            }
        }
        guard var fraction_us = microseconds(octets[form.count..<(octets.count - 1)], decimals) else { return nil }
        let (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard 1...12 ~= month, 1...31 ~= day, numbers[3] < 24, numbers[4] < 60, numbers[5] <= lastSecond else {
            return nil
        }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        guard civil(daysSinceEpoch: days) == (year, month, day) else { return nil }
        if numbers[5] == 60 { (numbers[5], fraction_us) = (59, 999_999) }
        let inDay_s = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
        return WallTime(microseconds: (days * 86_400 + inDay_s) * 1_000_000 + fraction_us)
    }

    /// Reads a point and the digits behind it, or an empty text where no decimals are required.
    private static func microseconds(_ octets: ArraySlice<UInt8>, _ decimals: ClosedRange<Int>) -> Int64? {
        if octets.isEmpty { return decimals.contains(0) ? 0 : nil }
        let digits = octets.dropFirst()
        guard octets.first == UInt8(ascii: "."), !digits.isEmpty, decimals.contains(digits.count) else { return nil }
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        var microseconds: Int64 = 0
        for digit in digits.prefix(6) { microseconds = microseconds * 10 + Int64(digit - UInt8(ascii: "0")) }
        for _ in digits.count..<max(6, digits.count) { microseconds *= 10 }
        return microseconds
    }

    /// Returns the days since 1970-01-01, negative before it.
    static func day(of time: WallTime) -> Int64 { floorDivide(time.microseconds, 86_400_000_000) }

    static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// Returns the Gregorian date. Days are counted from 0000-03-01 in eras of 400 years, so that the leap day ends a
    /// year.
    private static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    /// Converts a date back. A day beyond the end of a month is a day of the next.
    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

/// The relation of monotonic time to wall time, as of now.
///
/// Rules use instants. Wall times are made only when a message is written, by the clock at that moment. A step of the
/// clock therefore shifts all times of a message together, and keeps the spans between them right.
package struct Timebase: Hashable, Sendable {
    var wallAtOrigin: WallTime
    /// True if NTP or another service synchronises the system clock.
    package var isSynced: Bool

    /// The time of day of a recording's clock, whose instants count from the Unix epoch.
    package static let ofRecordings = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)

    package init(wallAtOrigin: WallTime, isSynced: Bool) {
        self.wallAtOrigin = wallAtOrigin
        self.isSynced = isSynced
    }

    /// Makes the relation in which `now` on the monotonic clock is `wall`.
    package init(at now: Instant, wall: WallTime, isSynced: Bool) {
        self.wallAtOrigin = wall - (now - .origin)
        self.isSynced = isSynced
    }

    /// Returns the wall time of an instant by the present clock.
    package func wall(_ instant: Instant) -> WallTime { wallAtOrigin + (instant - .origin) }

    /// Returns the instant of a wall time; before the monotonic origin where the time is before the boot.
    package func instant(_ wall: WallTime) -> Instant { .origin + (wall - wallAtOrigin) }
}
