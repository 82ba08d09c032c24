@testable import Core

private let settings: GatewaySettings = {
    var settings = Settings.defaults.gateway
    settings.tracker.maxTransmitters = 32
    settings.regions.limits.maxInstances = 8
    let rules = BeaconRules(
        entryRSSI_dbm: -127, entryAfter: .zero, exitRSSI_dbm: -127, exitAfter: .seconds(20), settle: .zero,
        unknownStateAfter: .seconds(60))
    settings.regions.beacons = [
        BeaconRegion(id: "all", uuid: ProximityUUID(high: 1, low: 2), rules: rules),
        BeaconRegion(id: "each", uuid: ProximityUUID(high: 1, low: 2), expansion: .minor, rules: rules),
    ]
    return settings
}()

/// Feeds a story of the air to the whole engine, eight octets for each step: its length, and then a frame with address
/// and level, or an event of the radio. Identities and addresses are few, so that they meet.
func feedGateway(_ octets: [UInt8]) {
    var outputs: [GatewayOutput] = []
    var engine = GatewayEngine(settings, radioSees: true, canProbe: true, at: .origin, outputs: &outputs)
    var messages = PublishedMessages()
    var now = Instant.origin
    for start in stride(from: 0, through: octets.count - 8, by: 8) {
        let chapter = Array(octets[start..<start + 8])
        now = now + .milliseconds(Int64(chapter[0]) * Int64(chapter[1]))
        switch chapter[2] {
        case 255: engine.liveness(.blind(since: now), at: now, outputs: &outputs)
        case 254: engine.liveness(.live, at: now, outputs: &outputs)
        case 253: engine.radioProved(at: now, outputs: &outputs)
        default: engine.receive(event(chapter).span, at: now, outputs: &outputs)
        }
        engine.advance(through: now, outputs: &outputs)
        let figures = engine.figures
        require(figures.listedTracks <= settings.tracker.maxTransmitters, "the table is bounded")
        require(figures.instances <= settings.regions.limits.maxInstances, "so are instances")
        check(outputs)
        messages.publish(outputs)
        outputs.removeAll(keepingCapacity: true)
    }
}

private func event(_ chapter: [UInt8]) -> [UInt8] {
    let identity = BeaconIdentity(
        uuid: ProximityUUID(high: 1, low: chapter[2] % 4 == 3 ? 3 : 2), major: 1, minor: UInt16(chapter[3] % 16))
    let frame = IBeaconFrame(identity: identity, measuredPower_dbm: Int8(bitPattern: chapter[4]))
    let kind = UInt64(chapter[5] >> 6) << 46
    let address = DeviceAddress(bits: kind | UInt64(chapter[5] & 0x3F), type: chapter[6] & 1 == 0 ? .random : .public)
    let report = AdvertisingReport(
        isExtended: chapter[6] & 2 != 0, eventType: 0, address: address,
        rssi_dbm: chapter[7] == 127 ? nil : Int8(bitPattern: chapter[7]))
    return AdvertisingReportEncoder.event([(report, frame.encodedStructure)])
}

private func check(_ outputs: [GatewayOutput]) {
    for report in outputs.compactMap({ $0.content(RangingReport.self) }) {
        for beacon in report.beacons {
            let isUnknown = beacon.observation.proximity == .unknown
            let isUndetermined = beacon.observation.accuracy_m == -1
            require(isUnknown == isUndetermined, "accuracy is −1 where proximity is unknown only")
            require(beacon.observation.accuracy_m.isFinite, "and a number")
        }
    }
}
