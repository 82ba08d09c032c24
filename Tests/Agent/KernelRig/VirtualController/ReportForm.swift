@testable import Core

/// Converts recorded advertising events into the form that a scan asks for.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.13, table 7.1: an extended scanner reports a legacy PDU with bit 4 of the event type
/// set and the old type spelled out in the bits below it. A legacy scanner can't hear an extended PDU at all.
struct ReportForm {
    /// Advertisers heard since the scan began; kept only where duplicates are filtered.
    private var heard: Set<DeviceAddress> = []

    /// The types of a legacy report as the event type of an extended one.
    private static let extendedTypes: [UInt16: UInt16] = [
        0x00: 0b10011,  // ADV_IND
        0x01: 0b10101,  // ADV_DIRECT_IND
        0x02: 0b10010,  // ADV_SCAN_IND
        0x03: 0b10000,  // ADV_NONCONN_IND
        0x04: 0b11011,  // SCAN_RSP, taken as the answer to an ADV_IND
    ]

    /// Begins a new scan.
    mutating func reset() { heard = [] }

    /// The events that a controller with this scan would send for a recorded one.
    ///
    /// An event that needs no change is sent as it was recorded, even a damaged one.
    mutating func events(for recorded: [UInt8], _ scan: Scan) -> [[UInt8]] {
        if !scan.filtersDuplicates, isInForm(recorded, scan.family) { return [recorded] }
        var reports: [(report: AdvertisingReport, data: [UInt8])] = []
        var rejects = RejectCounts()
        AdvertisingEvent.decode(recorded.span, rejects: &rejects) { report, data in
            reports.append((report, data.indices.map { data[$0] }))
        }
        let wanted = reports.compactMap { report, data in
            Self.report(report, as: scan.family).map { (report: $0, data: data) }
        }
        return Self.packed(wanted.filter { !scan.filtersDuplicates || heard.insert($0.report.address).inserted })
    }

    private func isInForm(_ event: [UInt8], _ family: KnownCommand.Family) -> Bool {
        let subevent = family == .legacy ? LESubevent.advertisingReport : LESubevent.extendedAdvertisingReport
        return event.count > 2 && event[0] == EventCode.leMeta && event[2] == subevent
    }

    private static func report(_ report: AdvertisingReport, as family: KnownCommand.Family) -> AdvertisingReport? {
        var report = report
        switch (family, report.isExtended) {
        case (.legacy, false), (.extended, true): return report
        case (.extended, false):
            guard let type = extendedTypes[report.eventType] else { return nil }
            report.eventType = type
        case (.legacy, true):
            guard let type = extendedTypes.first(where: { $0.value == report.eventType })?.key else { return nil }
            report.eventType = type
        }
        report.isExtended.toggle()
        return report
    }

    /// Packs the reports into as few events as possible: an extended report is longer, so the reports of one event may
    /// need two.
    private static func packed(_ reports: [(report: AdvertisingReport, data: [UInt8])]) -> [[UInt8]] {
        var events: [[UInt8]] = []
        var rest = reports[...]
        while !rest.isEmpty {
            let event = AdvertisingReportEncoder.event(Array(rest))
            // Octet 3 counts the reports that fitted; one always does.
            let fitted = event.count > 3 ? Int(event[3]) : 0
            guard fitted > 0 else { break }
            events.append(event)
            rest = rest.dropFirst(fitted)
        }
        return events
    }
}
