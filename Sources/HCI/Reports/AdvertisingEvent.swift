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
/// An event with another code or subevent is none of ours and no error.
public enum AdvertisingEvent {
    static let metaEventCode: UInt8 = 0x3E
    static let legacySubevent: UInt8 = 0x02
    static let extendedSubevent: UInt8 = 0x0D
    static let headerLength = 4

    /// Whether an event packet carries advertising reports, well-formed or not: a radio that sends them hears.
    public static func isAdvertising(_ event: Span<UInt8>) -> Bool {
        event.count > 2 && event[0] == metaEventCode && (event[2] == legacySubevent || event[2] == extendedSubevent)
    }

    /// Hands every well-formed report of an HCI event to `body`, with its advertising data, and counts the others.
    ///
    /// - Parameters:
    ///   - event: the event packet from its event code on, without an H4 packet type octet.
    ///   - rejects: counts what was skipped, and why.
    ///   - body: called once for each report, in the order of the event.
    public static func decode(
        _ event: Span<UInt8>, rejects: inout RejectCounts, body: (AdvertisingReport, Span<UInt8>) -> Void
    ) {
        guard isAdvertising(event) else { return }
        let subevent = event[2]
        let end = 2 + Int(event[1])
        // What follows the announced length is not part of the event; what is missing costs the reports it belongs to.
        let content = event.extracting(first: min(event.count, end))
        guard content.count >= headerLength, content[3] > 0 else {
            rejects.count(.noReports)
            return
        }
        var offset = headerLength
        for _ in 0..<content[3] {
            let step =
                subevent == legacySubevent
                ? LegacyReport.decode(content, at: offset, body: body)
                : ExtendedReport.decode(content, at: offset, body: body)
            if let reason = step.rejected { rejects.count(reason) }
            guard let next = step.next else { return }
            offset = next
        }
    }
}

/// What became of one report: where the next one starts (`nil` where that can't be known), and why it was skipped.
struct ReportStep {
    var next: Int?
    var rejected: RejectReason?

    static func truncated() -> ReportStep { ReportStep(next: nil, rejected: .truncatedReport) }
}

/// Reads six octets, least significant first. The caller has checked that they are there.
func deviceAddressBits(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    var bits: UInt64 = 0
    for index in stride(from: offset + 5, through: offset, by: -1) {
        bits = bits << 8 | UInt64(bytes[index])
    }
    return bits
}

/// The RSSI octet: −127 to 20 dBm. 127 says "not available"; the specification allows no other value, so those prove
/// presence and nothing more, as 127 does.
func receivedStrength(_ octet: UInt8) -> Int8? {
    let value = Int8(bitPattern: octet)
    return (-127...20).contains(value) ? value : nil
}
