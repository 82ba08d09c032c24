/// The LE Meta events that carry advertising reports.
///
/// Core 5.4, Vol 4, Part E, 5.4.4 (event packet), 7.7.65.2 and 7.7.65.13:
///
///     octet 0     event code, 0x3E LE Meta
///     octet 1     length of what follows
///     octet 2     subevent: 0x02 LE Advertising Report, 0x0D LE Extended Advertising Report
///     octet 3     number of reports
///     octet 4…    the reports, one after the other
///
/// A directed report (subevent 0x0B) has no data. An event with another code or subevent is none of ours and no error.
package enum AdvertisingEvent {
    static let headerLength = 4

    /// Whether an event packet carries advertising reports, directed and malformed ones among them: a radio that sends them hears.
    package static func isAdvertising(_ event: Span<UInt8>) -> Bool {
        guard event.count > 2, event[0] == EventCode.leMeta else { return false }
        return switch event[2] {
        case LESubevent.advertisingReport, LESubevent.extendedAdvertisingReport, LESubevent.directedAdvertisingReport:
            true
        default: false
        }
    }

    /// Hands every well-formed report of an HCI event to `body`, with its advertising data, and counts the others.
    ///
    /// - Parameters:
    ///   - event: the event packet from its event code on, without an H4 packet type octet.
    ///   - rejects: counts what was skipped, and why.
    ///   - body: called once for each report, in the order of the event.
    static func decode(
        _ event: Span<UInt8>, rejects: inout RejectCounts, body: (AdvertisingReport, Span<UInt8>) -> Void
    ) {
        guard isAdvertising(event) else { return }
        var reports = AdvertisingReports(event, rejects: &rejects)
        while let (report, data) = reports.next(event, rejects: &rejects) { body(report, event.extracting(data)) }
    }
}

/// Goes through the reports of one event: `AdvertisingEvent.decode` for a caller that cannot lend its counts out while it
/// takes reports in.
struct AdvertisingReports {
    private var offset = AdvertisingEvent.headerLength
    private var remaining: UInt8 = 0
    private let end: Int
    private let isLegacy: Bool

    /// - Parameter event: one for which `AdvertisingEvent.isAdvertising` holds.
    package init(_ event: Span<UInt8>, rejects: inout RejectCounts) {
        guard event[2] != LESubevent.directedAdvertisingReport else {
            (end, isLegacy) = (0, true)
            return
        }
        // What follows the announced length is not part of the event; what is missing costs the reports it belongs to.
        end = min(event.count, 2 + Int(event[1]))
        isLegacy = event[2] == LESubevent.advertisingReport
        guard end >= AdvertisingEvent.headerLength, event[3] > 0 else {
            rejects.count(.noReports)
            return
        }
        remaining = event[3]
    }

    /// The next well-formed report and where its data stands; those before it that are not are counted. `nil` at the end.
    ///
    /// - Parameter event: the same as before.
    mutating func next(
        _ event: Span<UInt8>, rejects: inout RejectCounts
    ) -> (report: AdvertisingReport, data: Range<Int>)? {
        while remaining > 0 {
            remaining -= 1
            let step =
                isLegacy
                ? LegacyReport.decode(event, at: offset, end: end) : ExtendedReport.decode(event, at: offset, end: end)
            switch step {
            case .report(let report, let data, let next):
                offset = next
                return (report, data)
            case .skipped(let reason, let next):
                rejects.count(reason)
                offset = next
            case .truncated:
                rejects.count(.truncatedReport)
                remaining = 0
            }
        }
        return nil
    }
}

/// What became of one report, and where the next one starts, where that can be known.
enum ReportStep {
    case report(AdvertisingReport, data: Range<Int>, next: Int)
    case skipped(RejectReason, next: Int)
    case truncated
}

/// The RSSI octet: −127 to 20 dBm. 127 says "not available"; the specification allows no other value, so those prove
/// presence and nothing more, as 127 does.
func receivedStrength(_ octet: UInt8) -> Int8? {
    let value = Int8(bitPattern: octet)
    return (-127...20).contains(value) ? value : nil
}
