@testable import Core

/// Feeds an HCI event packet, from its event code on, to every reader of events.
func feedEvent(_ octets: [UInt8]) {
    var rejects = RejectCounts()
    var chains = AdvertisingDataChains()
    var reports = 0
    AdvertisingEvent.decode(octets.span, rejects: &rejects) { report, data in
        reports += 1
        require(data.count <= octets.count, "a report's data stand in its event")
        switch chains.append(report, data) {
        case .whole: feedFrames(report, data)
        case .joined(let joined):
            require(joined.count <= AdvertisingDataChains.maxLength, "a chain is bounded")
            feedFrames(report, joined.span)
        case .pending, .rejected: break
        }
    }
    require(reports <= 255, "an event announces its reports in one octet")
    if octets.count >= 2 {
        let parameters = octets.span.extracting(2..<octets.count)
        _ = CommandOutcome(eventCode: octets[0], parameters: parameters)
        _ = LEReadLocalSupportedFeatures.ReturnParameters(returnParameters: parameters)
    }
}

/// Feeds advertising data: the structures, and a frame that survives being written again.
func feedStructures(_ octets: [UInt8]) {
    var length = 0
    _ = ADStructures.forEach(in: octets.span) { _, content in length += content.count + 2 }
    require(length <= octets.count, "structures don't overlap")
    for isExtended in [false, true] {
        let report = AdvertisingReport(
            isExtended: isExtended, eventType: 0, address: DeviceAddress(bits: 1, type: .random), rssi_dbm: nil)
        feedFrames(report, octets.span)
    }
}

private func feedFrames(_ report: AdvertisingReport, _ data: Span<UInt8>) {
    var rejects = RejectCounts()
    IBeaconFrame.forEach(in: report, data, rejects: &rejects) { frame in
        var again: IBeaconFrame?
        let written = frame.encodedStructure
        var none = RejectCounts()
        IBeaconFrame.forEach(in: report, written.span, rejects: &none) { again = $0 }
        require(again == frame, "a frame that is written is read as it was")
        require(ProximityUUID(frame.identity.uuid.description) == frame.identity.uuid, "so is a UUID")
    }
}
