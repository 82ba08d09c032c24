/// Where the gateways of a store stand, as far as that is known: their zones, floors and places.
package struct StorePlan: Sendable {
    /// A zone, by its place in `names`: 0 to 63, because each is that of a gateway.
    package struct Zone: Hashable, Sendable {
        private let octet: UInt8

        var number: Int { Int(octet) }

        init(number: Int) { octet = UInt8(clamping: number) }
    }

    /// What is known of one gateway, by `GatewayIndex`.
    private struct Spot: Sendable {
        var zone: Zone
        var floor: Int
        var position: SiteSettings.PlanPoint?
        var offset_db: Double
    }

    private(set) var names: [String] = []
    private var spots: [Spot] = []

    package init(_ gateways: StoreGateways) { update(gateways) }

    /// Takes gateways in that are new.
    mutating func update(_ gateways: StoreGateways) {
        for gateway in gateways.all.dropFirst(spots.count) {
            let name = gateway.settings.zone
            let number = names.firstIndex(of: name) ?? names.count
            if number == names.count { names.append(name) }
            spots.append(
                Spot(
                    zone: Zone(number: number), floor: gateway.settings.floor, position: gateway.settings.position,
                    offset_db: gateway.settings.rssiOffset_db))
        }
    }

    func zone(of gateway: GatewayIndex) -> Zone { spots[gateway.number].zone }

    func floor(of gateway: GatewayIndex) -> Int { spots[gateway.number].floor }

    func position(of gateway: GatewayIndex) -> SiteSettings.PlanPoint? { spots[gateway.number].position }

    func offset_db(of gateway: GatewayIndex) -> Double { spots[gateway.number].offset_db }

    package func name(of zone: Zone) -> String { names[zone.number] }
}
