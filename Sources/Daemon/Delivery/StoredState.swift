import Beacons
import Configuration
import HCI
import Messages
import Outbox
import Regions

/// What a process finds in the outbox when it starts.
package struct StoredState {
    /// Everything there is, of which regions are a part.
    package let records: [OutboxRecord]
    /// Region states that can be read.
    package private(set) var regions: [StoredRegion]
    /// Instances of regions that this process does not monitor.
    package private(set) var abandoned: [RegionInstanceID] = []
    /// Regions that requests have registered.
    package let definitions: [RegionDefinition]
    /// The secret that pseudonyms are made with.
    package var pseudonymKey: [UInt8]

    package static let pseudonymKeyName = "pseudonym_key"

    /// - Parameters:
    ///   - bootID: names the life of the monotonic clock.
    ///   - newKey: the secret for pseudonyms, where there is none yet; the delivery loop soon has one for the day.
    package init(
        _ outbox: Outbox, _ timebase: Timebase, bootID: String,
        newKey: @autoclosure () -> [UInt8] = PseudonymKey.random()
    ) {
        records = outbox.records()
        regions = records.compactMap { StoredRegion($0.value, key: $0.key, timebase, bootID: bootID) }
        definitions = records.compactMap { StoredDefinition.read($0.value, key: $0.key) }
        if let key = outbox.value(forKey: Self.pseudonymKeyName), !key.isEmpty {
            pseudonymKey = key
        } else {
            pseudonymKey = newKey()
            outbox.setValue(pseudonymKey, forKey: Self.pseudonymKeyName)
        }
    }

    /// Tells apart what goes on and what an operator has taken out of the configuration, or expands in another way.
    package mutating func abandon(allBut monitored: [BeaconRegion]) {
        let regionsByID = Dictionary(monitored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        func isMonitored(_ instance: RegionInstanceID) -> Bool {
            regionsByID[instance.region].map { $0.canHave(instance) } ?? false
        }
        // A region that a request registered has a state before it has a record of it.
        let requested = definitions.compactMap(\.id).map { RegionInstanceID(region: $0) }
        let stored = Set(records.compactMap { StoredRegion.instance(ofKey: $0.key) } + requested)
        // Of another fleet under the same id nothing goes on. A region without instances tells its new state itself.
        let others = regions.map(\.record).filter { record in
            regionsByID[record.instance.region].map { $0.expansion != .none && !$0.canRestore(record) } ?? false
        }
        abandoned = stored.filter { !isMonitored($0) }.union(others.map(\.instance))
            .sorted { StoredRegion.key($0) < StoredRegion.key($1) }
        regions.removeAll { stored in
            !(regionsByID[stored.record.instance.region].map { $0.canRestore(stored.record) } ?? false)
        }
    }
}

extension MessageComposer {
    package init(_ settings: Settings, pseudonymKey: [UInt8]) {
        self.init(
            topics: TopicTree(
                prefix: settings.mqtt.prefix, site: settings.gateway.site, gateway: settings.gateway.id ?? "gateway"),
            version: Version.current,
            pseudonym: DevicePseudonym(
                form: settings.privacy.device, key: pseudonymKey, deviceNames: settings.tracker.devices.map(\.name)),
            rangingExpiry_s: Expiry.ranging_s(settings.ranging))
    }
}
