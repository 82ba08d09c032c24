@testable import Core

/// A seed's decisions about a store: its gateways, its floor and its faults.
struct StoreScenario {
    let seed: UInt64
    let gateways: [Settings]
    /// The settings of the process that joins the gateways.
    let settings: Settings
    let site: SiteSettings
    let duration: TimeSpan
    let floor: StoreFloor
    let faults: [StoreFault]
    /// Indexed by machine; the last one is the store's own.
    let drifts_ppm: [Int64]
    /// A store with a twin has only faults of connections and gateways. It has to publish the same as its twin.
    let hasTwin: Bool

    init(seed: UInt64, hasTwin: Bool = false) throws(ConfigurationErrors) {
        self.seed = seed
        self.hasTwin = hasTwin
        var chance = Chance(seed: seed, stream: "store")
        let count = chance.number(2...5)
        let isLong = hasTwin && chance.happens(0.1)
        duration = isLong ? chance.span(1_800, 5_400) : chance.span(120, hasTwin ? 900 : 360)
        floor = StoreFloor(seed: seed, zones: count, duration: duration)
        // Drifting clocks would make the twins' times differ.
        drifts_ppm = (0...count).map { _ in Int64(chance.number(-200...200)) * (hasTwin ? 0 : 1) }
        faults =
            hasTwin
            ? StoreFault.linePlan(
                seed: seed, gateways: count, duration: duration, longestCut: .seconds(isLong ? 3_600 : 600))
            : StoreFault.plan(seed: seed, machines: count + 1, duration: duration)
        var gateways: [Settings] = []
        for number in 0..<count { gateways.append(try Settings.parse(Self.gateway(number, &chance))) }
        self.gateways = gateways
        settings = try Settings.parse(Self.store(count, hasTwin, &chance))
        site = settings.site ?? settings.siteDefaults
    }

    private static func name(_ number: Int) -> String { "gate-\(number)" }

    private static func gateway(_ number: Int, _ chance: inout Chance) -> String {
        """
        [gateway]
        site = "store"
        id = "\(name(number))"
        [regions]
        exit_after_s = \(chance.number(5...12))
        settle_s = \(chance.happens(0.3) ? 0 : 10)
        unknown_state_after_s = \(chance.number(5...60))
        [ranging]
        min_interval_s = \(chance.number(1...3))
        [mqtt]
        keepalive_s = \(chance.number(5...20))
        [[region]]
        id = "hall"
        uuid = "\(Shop.uuid)"
        [[region]]
        id = "cart"
        uuid = "\(Shop.uuid)"
        expand = "minor"
        """
    }

    /// In some stores gateways are listed under zones of other names; in the others each zone has its gateway's name.
    private static func store(_ count: Int, _ hasTwin: Bool, _ chance: inout Chance) -> String {
        let isListed = chance.happens(0.5)
        let listed = (0..<(isListed ? count : 0)).map {
            "[[site.gateway]]\nid = \"\(name($0))\"\nzone = \"zone-\($0)\"\nposition = [\($0 * 6).0, 0.0]"
        }
        return """
            [gateway]
            site = "store"
            id = "\(SiteSettings.gatewayID)-machine"
            [regions]
            unknown_state_after_s = \(chance.number(5...60))
            [mqtt]
            keepalive_s = \(chance.number(5...20))
            [site]
            leave_after_s = \(chance.number(0...8))
            late_after_s = \(hasTwin ? 7200 : chance.number(5...40))
            \(listed.joined(separator: "\n"))
            """
    }

    /// The zone that a gateway of the store hears for.
    func zone(of gateway: Int) -> String {
        let id = Self.name(gateway)
        return site.gateways.first { $0.id == id }?.zone ?? id
    }
}
