/// Builds the events that `AdvertisingEvent` reads; the bit layouts stand there. For simulated controllers and shops.
package enum AdvertisingReportEncoder {
    /// An LE Meta event, from its event code on, with one report after the other.
    ///
    /// The first report says whether all of them are legacy or extended. Data is cut to 31 octets in a legacy report
    /// and to 229 in an extended one, and reports that no longer fit the 255 octets of an event are left out.
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

    private static func strength(of report: AdvertisingReport) -> UInt8 {
        UInt8(bitPattern: report.rssi_dbm ?? 127)
    }
}
