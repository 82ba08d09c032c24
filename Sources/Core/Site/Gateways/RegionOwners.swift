/// Which UUID each region of the store has, and which gateways' regions of the same id have another one.
///
/// Two regions with one id and two UUIDs are two kinds of beacons. Joined they would put one instance into two zones at once. So the
/// UUID of the gateway that spoke first counts, and what another gateway tells of its region is refused.
struct RegionOwners: Sendable {
    private struct Owner {
        package var gateway: GatewayIndex
        var uuid: ProximityUUID
    }

    private struct Refused: Hashable {
        package var gateway: GatewayIndex
        var region: String
    }

    private var owners: [String: Owner] = [:]
    private var refused: Set<Refused> = []

    /// The fate of news of a region.
    package enum Decision {
        case joined
        /// The gateway's region has another UUID, as is known already.
        case refused
        /// It is known now: the gateway that spoke first, and the UUID of its region.
        case refusedFirst(GatewayIndex, ProximityUUID)
    }

    /// - Parameters:
    ///   - uuid: the one that the news names; `nil` where it names none.
    ///   - limit: regions, at most. Beyond it nothing is compared.
    mutating func decide(_ gateway: GatewayIndex, region: String, _ uuid: ProximityUUID?, limit: Int) -> Decision {
        let place = Refused(gateway: gateway, region: region)
        guard let uuid else { return !refused.isEmpty && refused.contains(place) ? .refused : .joined }
        guard let owner = owners[region] else {
            if owners.count < limit { owners[region] = Owner(gateway: gateway, uuid: uuid) }
            return .joined
        }
        if owner.uuid == uuid || owner.gateway == gateway {
            owners[region]?.uuid = uuid
            refused.remove(place)
            return .joined
        }
        return refused.insert(place).inserted ? .refusedFirst(owner.gateway, owner.uuid) : .refused
    }

    /// A gateway monitors a region no more.
    mutating func withdraw(_ gateway: GatewayIndex, region: String) {
        refused.remove(Refused(gateway: gateway, region: region))
        if owners[region]?.gateway == gateway { owners[region] = nil }
    }
}
