@testable import Core

/// Feeds an HCI event packet, from its event code on, to every reader of events.
func feedEvent(_ octets: [UInt8]) {
    var rejects = RejectCounts()
    var chains = AdvertisingDataChains()
    var reports = 0
    AdvertisingEvent.decode(octets.span, rejects: &rejects) { report, data in
        reports += 1
        require(data.count <= octets.count, "a report's data stand in its event")
        switch chains.append(report, data, at: .origin) {
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
        _ = LEFeatures(returnParameters: parameters)
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

/// Feeds advertising data to the readers of telemetry. A frame depends on its own structure alone.
func feedTelemetry(_ octets: [UInt8]) {
    let frames = telemetry(in: octets.span)
    for case .values(let values, let isContradictory) in frames {
        require((values.battery_percent ?? 0) <= 100, "a charge is a percentage")
        require(values.battery_mV.map { (800...6_600).contains($0) } ?? true, "a voltage is that of a battery")
        require(values.temperature_cC.map { (-6_000...12_500).contains($0) } ?? true, "a beacon survives")
        require(isContradictory || !values.isEmpty, "a frame says something")
    }
    var alone: [TelemetryFrame] = []
    _ = ADStructures.forEach(in: octets.span) { type, content in
        var structure = [UInt8(content.count + 1), type]
        for index in content.indices { structure.append(content[index]) }
        let found = telemetry(in: structure.span)
        require(found.count <= (type == 0x16 ? 1 : 0), "a structure of service data has at most one frame")
        if isEncrypted(structure) {
            require(found.allSatisfy { if case .encrypted = $0 { true } else { false } }, "a key keeps its values")
        }
        alone += found
    }
    require(alone == frames, "a packet has the frames of its structures")
    let cut = telemetry(in: octets.span.extracting(0..<max(0, octets.count - 1)))
    require(frames.starts(with: cut), "a cut adds no frame")
}

private func telemetry(in data: Span<UInt8>) -> [TelemetryFrame] {
    var frames: [TelemetryFrame] = []
    TelemetryFrames.forEach(in: data) { frames.append($0) }
    return frames
}

/// Returns whether a structure says itself that it is encrypted: BTHome by a bit, Eddystone-TLM by its version.
private func isEncrypted(_ structure: [UInt8]) -> Bool {
    structure.dropFirst().starts(with: [0x16, 0xAA, 0xFE, 0x20, 0x01])
        || structure.count > 4 && structure[1...3] == [0x16, 0xD2, 0xFC] && structure[4] & 1 == 1
}
