import HCI

/// Advertising events that are due together as fewer events, each with the reports of several.
///
///     octet 0      0x3E, LE Meta
///     octet 1      length of what follows
///     octet 2      subevent
///     octet 3      number of reports
///     octets 4...  the reports, one behind the other
enum EventBatch {
    /// Core 5.4, Vol 4, Part E, 7.7.65.2.
    static let mostReports = 0x19
    /// How long a controller that has one report waits for others to come with it.
    static let wait = TimeSpan.milliseconds(3)

    /// - Parameter limit: the most reports in one event.
    static func packed(_ events: [[UInt8]], limit: Int) -> [[UInt8]] {
        guard limit > 1 else { return events }
        var packed: [[UInt8]] = []
        for event in events {
            if let last = packed.last, let joined = joined(last, event, limit: limit) {
                packed[packed.count - 1] = joined
            } else {
                packed.append(event)
            }
        }
        return packed
    }

    /// `nil` where the two are not of one kind, or too much for one event.
    private static func joined(_ first: [UInt8], _ second: [UInt8], limit: Int) -> [UInt8]? {
        guard first.count > 4, second.count > 4, first[0] == 0x3E, second[0] == 0x3E, first[2] == second[2] else {
            return nil
        }
        let (reports, length) = (Int(first[3]) + Int(second[3]), first.count + second.count - 4)
        guard reports <= limit, length - 2 <= 255 else { return nil }
        return [0x3E, UInt8(length - 2), first[2], UInt8(reports)] + first[4...] + second[4...]
    }
}
