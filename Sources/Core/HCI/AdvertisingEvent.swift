/// The codes of the controller events that the agent or the simulated controller uses.
///
/// Core 5.4, Vol 4, Part E, 7.7.
package enum EventCode {
    /// 7.7.14.
    package static let commandComplete: UInt8 = 0x0E
    /// 7.7.15.
    package static let commandStatus: UInt8 = 0x0F
    /// 7.7.16.
    package static let hardwareError: UInt8 = 0x10
    /// 7.7.65. The octet behind the length is an `LESubevent`.
    package static let leMeta: UInt8 = 0x3E
}

/// The subevents of LE controllers that carry advertising reports. Core 5.4, Vol 4, Part E, 7.7.65.
enum LESubevent {
    /// 7.7.65.2.
    static let advertisingReport: UInt8 = 0x02
    /// 7.7.65.11. It has no data, so it carries no beacon. It still proves that the radio hears.
    static let directedAdvertisingReport: UInt8 = 0x0B
    /// 7.7.65.13.
    static let extendedAdvertisingReport: UInt8 = 0x0D
}

/// The octet in front of a packet on a UART, in /dev/vhci and in captures with datalink 1002.
///
/// Core 5.4, Vol 4, Part A, 2: the HCI packet indicator, one octet.
package enum PacketType: UInt8, Sendable {
    case command = 0x01
    case aclData = 0x02
    case synchronousData = 0x03
    case event = 0x04
    case isochronousData = 0x05
}

// Each number of several octets is read with one load, not octet by octet. The load is checked against the bounds. The
// standard library calls it unsafe because some types do not allow all bit patterns; integers do.

/// Returns four octets, most significant first. The caller has checked that they are there.
func bigEndian32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
}

/// Returns eight octets, most significant first. The caller has checked that they are there.
func bigEndian64(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    UInt64(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
}

/// Returns the six octets of an address, least significant first. The caller has checked that they are there.
func deviceAddressBits(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    let low = UInt32(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    let high = UInt16(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt16.self))
    return UInt64(high) << 32 | UInt64(low)
}

/// The event that ends a command; `CommandOutcome` reads it.
///
/// Core 5.4, Vol 4, Part E, 7.7.14:
///
///     octet 0        event code, 0x0E
///     octet 1        length of what follows, 3 + n
///     octet 2        how many commands the host may send now
///     octets 3…4     the command's opcode, least significant octet first
///     octets 5…4+n   return parameters; the first is nearly always the status
package struct CommandCompleteEvent: Hashable, Sendable {
    /// The most return parameters: an event has 255 octets, and three stand before these.
    static let maxReturnParameters = 252

    var opcode: Opcode
    var returnParameters: [UInt8]

    package init(opcode: Opcode, returnParameters: [UInt8]) {
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The event packet from its event code on. It allows one further command and cuts return parameters that don't
    /// fit.
    package var octets: [UInt8] {
        let parameters = returnParameters.prefix(Self.maxReturnParameters)
        return [EventCode.commandComplete, UInt8(truncatingIfNeeded: 3 + parameters.count), 1]
            + opcode.rawValue.littleEndianOctets + parameters
    }
}

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
/// A directed report (subevent 0x0B) has no data. Events with other codes or subevents are skipped; they are no errors.
package enum AdvertisingEvent {
    static let headerLength = 4

    /// Returns whether an event packet carries advertising reports. Directed and malformed ones count: a radio that
    /// sends them hears.
    package static func isAdvertising(_ event: Span<UInt8>) -> Bool {
        guard event.count > 2, event[0] == EventCode.leMeta else { return false }
        return switch event[2] {
        case LESubevent.advertisingReport, LESubevent.extendedAdvertisingReport, LESubevent.directedAdvertisingReport:
            true
        default: false
        }
    }

    /// Passes each well-formed report of an HCI event to `body`, with its advertising data, and counts the others.
    ///
    /// - Parameter event: the event packet from its event code on, without an H4 packet type octet.
    static func decode(
        _ event: Span<UInt8>, rejects: inout RejectCounts, body: (AdvertisingReport, Span<UInt8>) -> Void
    ) {
        guard isAdvertising(event) else { return }
        var reports = AdvertisingReports(event, rejects: &rejects)
        while let (report, data) = reports.next(event, rejects: &rejects) { body(report, event.extracting(data)) }
    }
}

/// Iterates over the reports of one event. For a caller that cannot lend its counts to a closure, as
/// `AdvertisingEvent.decode` needs.
struct AdvertisingReports {
    private var offset = AdvertisingEvent.headerLength
    private var remaining: UInt8 = 0
    private let end: Int
    private let isLegacy: Bool

    /// - Parameter event: an event that passes `AdvertisingEvent.isAdvertising`.
    init(_ event: Span<UInt8>, rejects: inout RejectCounts) {
        guard event[2] != LESubevent.directedAdvertisingReport else {
            (end, isLegacy) = (0, true)
            return
        }
        // Octets behind the announced length are not part of the event. Missing octets cost only the reports that they
        // belong to.
        end = min(event.count, 2 + Int(event[1]))
        isLegacy = event[2] == LESubevent.advertisingReport
        guard end >= AdvertisingEvent.headerLength, event[3] > 0 else {
            rejects.count(.noReports)
            return
        }
        remaining = event[3]
    }

    /// Returns the next well-formed report and the range of its data, and counts malformed reports before it. Returns
    /// `nil` at the end.
    ///
    /// - Parameter event: the event passed to the initialiser.
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

/// The result of one report, and the start of the next one where it is known.
enum ReportStep {
    case report(AdvertisingReport, data: Range<Int>, next: Int)
    case skipped(RejectReason, next: Int)
    case truncated
}

/// Returns the RSSI octet: −127 to 20 dBm. 127 means "not available". The specification allows no other value, so
/// others also prove only presence.
func receivedStrength(_ octet: UInt8) -> Int8? {
    let value = Int8(bitPattern: octet)
    return (-127...20).contains(value) ? value : nil
}

/// The reason for which octets from the air or from the controller were skipped.
///
/// The raw value is the name under which `health` counts it.
enum RejectReason: String, CaseIterable, Sendable {
    /// An advertising event without reports.
    case noReports = "no_reports"
    /// A report that runs past the end of its event, or is announced and missing. The reports before it are kept.
    case truncatedReport = "truncated_report"
    /// A legacy report with more than 31 data octets.
    case oversizedData = "oversized_data"
    /// An address type that the specification does not know.
    case unknownAddressType = "unknown_address_type"
    /// An advertising data structure that runs past the payload. The structures before it are kept.
    case overrunningStructure = "overrunning_structure"
    /// A chain of extended reports longer than the 1650 octets that the specification allows.
    case oversizedChain = "oversized_chain"
    /// Apple's iBeacon prefix with fewer than 21 octets behind it.
    case truncatedBeacon = "truncated_beacon"
}

/// The number of skipped reports for each `RejectReason`.
package struct RejectCounts: Equatable, Sendable {
    /// Stored inline: a skipped report must not cost an allocation.
    private var counts = InlineArray<7, UInt64>(repeating: 0)

    init() {}

    /// The sum over all reasons.
    package var total: UInt64 {
        var total: UInt64 = 0
        for index in counts.indices { total &+= counts[index] }
        return total
    }

    subscript(reason: RejectReason) -> UInt64 {
        get { counts[Self.index(of: reason)] }
        set { counts[Self.index(of: reason)] = newValue }
    }

    /// Counts one more occurrence.
    mutating func count(_ reason: RejectReason) { counts[Self.index(of: reason)] &+= 1 }

    package static func == (left: RejectCounts, right: RejectCounts) -> Bool {
        left.counts.indices.allSatisfy { left.counts[$0] == right.counts[$0] }
    }

    /// Adds another set of counts.
    mutating func add(_ other: RejectCounts) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
    }

    private static func index(of reason: RejectReason) -> Int {
        switch reason {
        case .noReports: 0
        case .truncatedReport: 1
        case .oversizedData: 2
        case .unknownAddressType: 3
        case .overrunningStructure: 4
        case .oversizedChain: 5
        case .truncatedBeacon: 6
        }
    }
}

/// Builds events that `AdvertisingEvent` reads; it documents the bit layouts. For simulated controllers and shops.
package enum AdvertisingReportEncoder {
    /// Returns an LE Meta event of the reports, from its event code on.
    ///
    /// The first report decides whether the event is legacy or extended. Data is cut to 31 octets in a legacy report
    /// and to 229 in an extended one. Reports beyond the event's 255 octets are left out.
    package static func event(_ reports: [(report: AdvertisingReport, data: [UInt8])]) -> [UInt8] {
        let isExtended = reports.first?.report.isExtended ?? false
        var body: [UInt8] = []
        var count: UInt8 = 0
        for (report, data) in reports {
            let encoded = isExtended ? extended(report, data) : legacy(report, data)
            guard body.count + encoded.count + 2 <= 255 else { break }
            body += encoded
            count += 1
        }
        let subevent = isExtended ? LESubevent.extendedAdvertisingReport : LESubevent.advertisingReport
        return [EventCode.leMeta, UInt8(truncatingIfNeeded: body.count + 2), subevent, count] + body
    }

    private static func legacy(_ report: AdvertisingReport, _ data: [UInt8]) -> [UInt8] {
        let data = data.prefix(LegacyReport.maxDataLength)
        var octets = [UInt8(truncatingIfNeeded: report.eventType), report.address.type.rawValue]
        octets += Self.octets(of: report.address)
        octets += [UInt8(truncatingIfNeeded: data.count)]
        octets += data
        octets += [strength(of: report)]
        return octets
    }

    private static func extended(_ report: AdvertisingReport, _ data: [UInt8]) -> [UInt8] {
        let data = data.prefix(229)
        let eventType = report.eventType & ~(0b11 << 5) | UInt16(report.dataStatus.rawValue) << 5
        let phyAndSID: [UInt8] = [0x01, 0x00, report.advertisingSID]
        let transmitPowerNotAvailable: UInt8 = 0x7F
        var octets = eventType.littleEndianOctets + [report.address.type.rawValue]
        octets += Self.octets(of: report.address) + phyAndSID
        octets += [transmitPowerNotAvailable, strength(of: report)]
        octets += [UInt8](repeating: 0, count: 9)
        octets += [UInt8(truncatingIfNeeded: data.count)]
        octets += data
        return octets
    }

    private static func octets(of address: DeviceAddress) -> [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> (8 * UInt64($0))) }
    }

    private static func strength(of report: AdvertisingReport) -> UInt8 { UInt8(bitPattern: report.rssi_dbm ?? 127) }
}
