@testable import Core

/// Feeds a stored row, `key\nvalue`. One that is read is written and read the same, and an engine continues from it.
func feedRow(_ octets: [UInt8]) {
    let parts = octets.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let key = String(decoding: parts.first ?? [], as: UTF8.self)
    let value = Array(parts.dropFirst().first ?? [])
    _ = StoredDefinition.read(value, key: key)
    let timebase = Timebase(wallAtOrigin: .unixEpoch, isSynced: true)
    for bootID in ["boot", "other"] {
        guard let stored = StoredRegion.read(value, key: key, timebase, bootID: bootID).region else { continue }
        let encoded = stored.encoded(timebase, bootID: bootID)
        let again = StoredRegion.read(
            encoded, key: StoredRegion.key(stored.record.instance), timebase, bootID: bootID
        ).region
        require(again != nil, "what was read is written so that it can be read")
        goOn(from: stored.record)
    }
}

private func goOn(from record: RegionRecord) {
    var settings = Settings.defaults.gateway
    let numbers = (record.instance.major, record.instance.minor)
    let rules = BeaconRules(
        entryRSSI_dbm: -127, entryAfter: .zero, exitRSSI_dbm: -127, exitAfter: .seconds(20), settle: .seconds(10),
        unknownStateAfter: .seconds(60))
    settings.regions.beacons = [
        BeaconRegion(
            id: record.instance.region, uuid: ProximityUUID(high: 1, low: 2),
            expansion: numbers.0 == nil ? .none : numbers.1 == nil ? .major : .minor, rules: rules)
    ]
    var outputs: [GatewayOutput] = []
    let now = Instant.origin + .seconds(1_000)
    var engine = GatewayEngine(settings, restoring: [record], radioSees: true, at: now, outputs: &outputs)
    engine.advance(through: now + .seconds(600), outputs: &outputs)
    for case .transition(let transition, record: _) in outputs {
        guard case .exit(let stay) = transition.event?.kind else { continue }
        _ = stay.dwell
    }
}
