@testable import Core

/// A seed's decisions: the configuration, the shop and the faults.
struct Scenario {
    let seed: UInt64
    let settings: Settings
    let duration: TimeSpan
    let shop: Shop
    let faults: [Fault]
    /// `nil` where the gateway stands in the shop, and its configuration has no place.
    let van: Van?
    let drift_ppm: Int64
    let mayAdminister: Bool

    init(seed: UInt64) throws(ConfigurationErrors) {
        self.seed = seed
        var chance = Chance(seed: seed, stream: "scenario")
        duration = chance.span(60, 180)
        shop = Shop(seed: seed, duration: duration, hasFlood: chance.happens(0.2))
        let moves = Fault.moves(seed: seed, duration: duration)
        let others = moves + Fault.ofBoard(seed: seed, duration: duration)
        faults = (Fault.plan(seed: seed, duration: duration) + others).sorted { $0.begin < $1.begin }
        drift_ppm = chance.happens(0.5) ? Int64(chance.number(-500...500)) : 0
        mayAdminister = chance.happens(0.5)
        van = Van.rides(seed: seed) ? Van(seed: seed, duration: duration) : nil
        settings = try Settings.parse(Self.configuration(&chance) + (van?.configuration(seed: seed) ?? ""))
    }

    private static func configuration(_ chance: inout Chance) -> String {
        let isNarrow = chance.happens(0.3)
        return """
            [gateway]
            site = "store"
            id = "gate"
            [radio]
            max_transmitters = \(isNarrow ? 24 : 8192)
            [regions]
            exit_after_s = \(chance.number(5...25))
            settle_s = \(chance.happens(0.3) ? 0 : 10)
            unknown_state_after_s = \(chance.number(5...60))
            max_instances = \(isNarrow ? 16 : 16384)
            max_newcomers_per_minute = 100
            [outbox]
            max_events = \(chance.happens(0.3) ? chance.number(2...6) : 1_000_000)
            max_mib = 1
            [ranging]
            min_interval_s = 5
            [mqtt]
            keepalive_s = \(chance.number(5...30))
            max_inflight = \(chance.number(1...20))
            [[region]]
            id = "hall"
            uuid = "\(Shop.uuid)"
            [[region]]
            id = "zone"
            uuid = "\(Shop.uuid)"
            expand = "major"
            [[region]]
            id = "cart"
            uuid = "\(Shop.uuid)"
            expand = "minor"
            ranging = false
            [[region]]
            id = "till"
            uuid = "\(Shop.uuid)"
            major = 2
            minor = 1
            """
    }
}

extension RegionSettings {
    /// The region instances that an identity belongs to.
    func instances(of identity: BeaconIdentity) -> [RegionInstanceID] {
        beacons.compactMap { region in
            guard region.uuid == identity.uuid, region.major ?? identity.major == identity.major,
                region.minor ?? identity.minor == identity.minor
            else { return nil }
            let discriminator = RegionInstanceID.Discriminator(
                major: region.expansion == .none ? nil : identity.major,
                minor: region.expansion == .minor ? identity.minor : nil)
            return discriminator.map { RegionInstanceID(region: region.id, $0) }
        }
    }
}
