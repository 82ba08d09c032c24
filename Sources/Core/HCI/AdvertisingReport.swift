/// One LE advertising report, legacy or extended, without its data.
///
/// The data is a separate `Span<UInt8>` into the event, so that a report costs no copy and no allocation.
package struct AdvertisingReport: Hashable, Sendable {
    /// The completeness of the advertising data, which an extended advertisement may send in several reports.
    enum DataStatus: UInt8, Sendable {
        case complete = 0b00
        /// Another report continues the data.
        case moreToCome = 0b01
        /// The controller lost the rest.
        case truncated = 0b10
    }

    /// True if the event is an LE Extended Advertising Report (subevent 0x0D), not an LE Advertising Report (0x02).
    var isExtended: Bool
    /// The event type: one octet in a legacy report (0x00 ADV_IND … 0x04 SCAN_RSP), a 16-bit field in an extended one.
    var eventType: UInt16
    /// The advertiser's address.
    package var address: DeviceAddress
    /// The advertising set identifier, 0x00 to 0x0F; 0xFF where there is none.
    var advertisingSID: UInt8 = 0xFF
    /// Received signal strength in dBm, −127 to 20. `nil` where the controller says "not available" (127) or a value
    /// that the specification does not allow.
    var rssi_dbm: Int8?
    /// True if the data is complete. Data of legacy reports always is.
    var dataStatus: DataStatus = .complete
}

/// One report of an LE Advertising Report event.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.2. The specification lists the parameters as arrays. Controllers send, and hosts
/// read, one report after the other:
///
///     octet 0        event type: 0x00 ADV_IND, 0x01 ADV_DIRECT_IND, 0x02 ADV_SCAN_IND, 0x03 ADV_NONCONN_IND, 0x04 SCAN_RSP
///     octet 1        address type
///     octets 2…7     address, least significant octet first
///     octet 8        data length n, 0 to 31
///     octets 9…8+n   advertising data
///     octet 9+n      RSSI, signed; 127 = not available
enum LegacyReport {
    static let fixedLength = 10
    static let dataOffset = 9
    static let maxDataLength = 31

    /// - Parameter end: the end of the event within the span.
    static func decode(_ event: Span<UInt8>, at start: Int, end: Int) -> ReportStep {
        guard end - start >= fixedLength else { return .truncated }
        let dataStart = start + dataOffset
        let dataEnd = dataStart + Int(event[start + 8])
        guard dataEnd < end else { return .truncated }
        let next = dataEnd + 1
        // The length may be wrong or merely too long. Where it still fits, the reports behind it are readable.
        if dataEnd - dataStart > maxDataLength { return .skipped(.oversizedData, next: next) }
        guard let type = DeviceAddress.AddressType(rawValue: event[start + 1]), type != .anonymous else {
            return .skipped(.unknownAddressType, next: next)
        }
        let report = AdvertisingReport(
            isExtended: false, eventType: UInt16(event[start]),
            address: DeviceAddress(bits: deviceAddressBits(event, at: start + 2), type: type),
            rssi_dbm: receivedStrength(event[dataEnd]))
        return .report(report, data: dataStart..<dataEnd, next: next)
    }
}

/// One report of an LE Extended Advertising Report event.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.13:
///
///     octets 0…1     event type: bit 0 connectable, 1 scannable, 2 directed, 3 scan response, 4 legacy PDU,
///                    bits 6…5 data status (00 complete, 01 more to come, 10 truncated)
///     octet 2        address type; 0xFF = anonymous
///     octets 3…8     address, least significant octet first
///     octet 9        primary PHY
///     octet 10       secondary PHY
///     octet 11       advertising SID; 0xFF = none
///     octet 12       transmit power, signed
///     octet 13       RSSI, signed; 127 = not available
///     octets 14…15   periodic advertising interval
///     octet 16       direct address type
///     octets 17…22   direct address
///     octet 23       data length n, 0 to 229
///     octets 24…     advertising data
enum ExtendedReport {
    static let fixedLength = 24
    static let legacyPDU: UInt16 = 1 << 4

    /// - Parameter end: the end of the event within the span.
    static func decode(_ event: Span<UInt8>, at start: Int, end: Int) -> ReportStep {
        guard end - start >= fixedLength else { return .truncated }
        let dataStart = start + fixedLength
        let next = dataStart + Int(event[start + 23])
        guard next <= end else { return .truncated }
        let eventType = UInt16(event[start]) | UInt16(event[start + 1]) << 8
        // A legacy PDU has room for 31 octets in either kind of report.
        if eventType & legacyPDU != 0, next - dataStart > LegacyReport.maxDataLength {
            return .skipped(.oversizedData, next: next)
        }
        guard let type = DeviceAddress.AddressType(rawValue: event[start + 2]) else {
            return .skipped(.unknownAddressType, next: next)
        }
        // An anonymous advertisement has no address; the octets in its place are undefined.
        let bits = type == .anonymous ? 0 : deviceAddressBits(event, at: start + 3)
        let report = AdvertisingReport(
            isExtended: true, eventType: eventType, address: DeviceAddress(bits: bits, type: type),
            advertisingSID: event[start + 11], rssi_dbm: receivedStrength(event[start + 13]),
            // 11 is reserved: no further report could complete the data.
            dataStatus: AdvertisingReport.DataStatus(rawValue: UInt8(eventType >> 5 & 0b11)) ?? .truncated)
        return .report(report, data: dataStart..<next, next: next)
    }
}

/// Joins the data of extended advertisements that a controller reports in pieces.
///
/// Core 5.4, Vol 4, Part E, 7.7.65.13: while the data status is "more to come", the next report with this address and
/// advertising SID continues the data. A structure may be cut anywhere, so a piece must never be read by itself.
struct AdvertisingDataChains: Sendable {
    /// The longest advertising data that the specification allows (Vol 6, Part B, 2.3.4.9), octets.
    static let maxLength = 1650
    /// The most chains at once. A new one replaces the oldest.
    static let maxChains = 16
    /// The time after a piece in which the next one may come. Within a packet it is at most 2.5 s (Vol 6, Part B, 2.3.4.5).
    static let patience = TimeSpan.seconds(10)

    /// The effect of a report on its chain.
    enum Step: Hashable, Sendable {
        /// The report has all the data.
        case whole
        /// The report was the last piece. The joined data is attached.
        case joined([UInt8])
        /// More pieces are to come.
        case pending
        /// The chain is longer than the specification allows; it is dropped.
        case rejected(RejectReason)
    }

    private struct Chain {
        var address: DeviceAddress
        var sid: UInt8
        var data: [UInt8]
        var lastPiece: Instant
    }

    private var chains: [Chain] = []

    init() {}

    /// The number of packets whose next piece is to come.
    var count: Int { chains.count }

    /// True if a report has all its data, and no packet is unfinished. Nearly every report is so, and needs no `append`.
    func takesWhole(_ report: AdvertisingReport) -> Bool { chains.isEmpty && report.dataStatus != .moreToCome }

    /// Takes a report's data. Returns whether it is complete, ends a chain, or has to wait.
    ///
    /// - Parameter now: not before the time of an earlier call.
    // Inlined, it would make the way of each report longer.
    @inline(never)
    mutating func append(_ report: AdvertisingReport, _ data: Span<UInt8>, at now: Instant) -> Step {
        removeUnfinished(at: now)
        let index = chains.firstIndex { $0.address == report.address && $0.sid == report.advertisingSID }
        guard index != nil || report.dataStatus == .moreToCome else { return .whole }
        var chain =
            index.map { chains.remove(at: $0) }
            ?? Chain(address: report.address, sid: report.advertisingSID, data: [], lastPiece: now)
        chain.lastPiece = now
        guard chain.data.count + data.count <= Self.maxLength else { return .rejected(.oversizedChain) }
        for index in data.indices { chain.data.append(data[index]) }
        guard report.dataStatus == .moreToCome else { return .joined(chain.data) }
        if chains.count >= Self.maxChains { chains.removeFirst() }
        chains.append(chain)
        return .pending
    }

    /// Removes the packets whose next piece comes no more.
    mutating func removeUnfinished(at now: Instant) {
        chains.removeAll { now - $0.lastPiece > Self.patience }
    }
}

/// Advertising data: a sequence of structures.
///
/// Core 5.4, Vol 3, Part C, 11:
///
///     octet 0       length n of what follows; 0 ends the significant part early
///     octet 1       AD type
///     octets 2…n    AD data, n − 1 octets
enum ADStructures {
    /// Passes each structure, type and data, to `body`.
    ///
    /// - Returns: `false` where a structure runs past the end. That structure is dropped, not clamped, and the octets
    ///   behind it are not read.
    static func forEach(in data: Span<UInt8>, body: (UInt8, Span<UInt8>) -> Void) -> Bool {
        var offset = 0
        while offset < data.count {
            let length = Int(data[offset])
            if length == 0 { return true }
            let end = offset + 1 + length
            guard end <= data.count else { return false }
            body(data[offset + 1], data.extracting(offset + 2..<end))
            offset = end
        }
        return true
    }
}

/// A Bluetooth device address as an advertising report carries it, with its type.
///
/// Core 5.4, Vol 6, Part B, 1.3; HCI codes from Vol 4, Part E, 7.7.65.2 and 7.7.65.13:
///
///     bits 47...0   the address; bits 47 and 46 distinguish the kinds of random address:
///                   11 static, 01 resolvable private, 00 non-resolvable private, 10 reserved
///     on the wire   six octets, least significant first
package struct DeviceAddress: Hashable, Sendable {
    package enum AddressType: UInt8, Sendable {
        case `public` = 0x00
        case random = 0x01
        /// A public identity address that the controller resolved from a private one.
        case publicIdentity = 0x02
        /// A static random identity address that the controller resolved from a private one.
        case randomIdentity = 0x03
        /// An extended advertisement without an address.
        case anonymous = 0xFF
    }

    // Three parts take seven octets; a number of 64 bits and the type would take sixteen.
    let low: UInt32
    let high: UInt16
    /// Public, random, resolved by the controller, or anonymous.
    package let type: AddressType

    /// Keeps the low 48 bits of `bits`.
    package init(bits: UInt64, type: AddressType) {
        self.low = UInt32(truncatingIfNeeded: bits)
        self.high = UInt16(truncatingIfNeeded: bits >> 32)
        self.type = type
    }

    /// The 48 bits, most significant first, in the low end.
    package var bits: UInt64 { UInt64(high) << 32 | UInt64(low) }

    /// True if this is a random address of the kind 01, which an identity resolving key may resolve.
    var isResolvablePrivate: Bool { type == .random && bits >> 46 == 0b01 }

    /// True if this is a random private address, resolvable or not: only these rotate.
    ///
    /// The reserved kind 10 counts as fixed, because taking two devices for one is worse than the reverse.
    var rotates: Bool { type == .random && bits >> 47 == 0 }
}

extension DeviceAddress: CustomStringConvertible {
    /// Six upper-case octets, most significant first: `C0:FF:EE:00:00:01`.
    package var description: String {
        var text = ""
        for shift in stride(from: UInt64(40), through: 0, by: -8) {
            let octet = UInt8(truncatingIfNeeded: bits >> shift)
            if !text.isEmpty { text += ":" }
            if octet < 0x10 { text += "0" }
            text += String(octet, radix: 16, uppercase: true)
        }
        return text
    }
}
