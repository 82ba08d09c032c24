/// The UUID of each region id, by the gateways of the store.
///
/// Two regions with one id and two UUIDs contain different kinds of beacons, and must not become one region of the store. So the UUID of the
/// first gateway counts. Messages of a gateway whose region has another UUID are refused, until no gateway has the UUID that counts.
struct RegionUUIDs: Sendable {
    private struct Agreed {
        var uuid: ProximityUUID
        /// The gateways whose region has this UUID.
        var gateways = GatewaySet()
    }

    private struct Refused: Hashable {
        var gateway: GatewayIndex
        var region: String
    }

    private var regions: [String: Agreed] = [:]
    private var refused: Set<Refused> = []

    /// The decision about a message of a region.
    enum Decision: Hashable {
        case accepted
        /// The gateway's region has another UUID, which is reported already.
        case refused
        /// The gateway's region has another UUID, for the first time. A gateway with the UUID that counts, and that UUID, are attached.
        case newlyRefused(agreed: GatewayIndex, ProximityUUID)
    }

    /// Decides whether a gateway's message is of the store's region.
    ///
    /// - Parameters:
    ///   - uuid: the UUID in the message; `nil` where there is none, and the decision about the gateway's last UUID holds.
    ///   - limit: the most regions that are compared. Messages of further ones are accepted.
    mutating func decide(_ gateway: GatewayIndex, region: String, _ uuid: ProximityUUID?, limit: Int) -> Decision {
        let key = Refused(gateway: gateway, region: region)
        // Asked for each message; mostly no gateway is refused.
        guard let uuid else { return !refused.isEmpty && refused.contains(key) ? .refused : .accepted }
        guard var agreed = regions[region] else {
            if regions.count < limit { agree(on: uuid, gateway, key) }
            return .accepted
        }
        if agreed.uuid == uuid, agreed.gateways.contains(gateway) { return .accepted }
        if agreed.uuid != uuid {
            agreed.gateways.remove(gateway)
            regions[region] = agreed
            if let other = agreed.gateways.first {
                return refused.insert(key).inserted ? .newlyRefused(agreed: other, agreed.uuid) : .refused
            }
        }
        agree(on: uuid, gateway, key)
        return .accepted
    }

    private mutating func agree(on uuid: ProximityUUID, _ gateway: GatewayIndex, _ key: Refused) {
        var agreed = regions[key.region] ?? Agreed(uuid: uuid)
        agreed.gateways.insert(gateway)
        agreed.uuid = uuid
        regions[key.region] = agreed
        refused.remove(key)
    }

    /// Removes a gateway that does not monitor a region any more.
    mutating func remove(_ gateway: GatewayIndex, region: String) {
        refused.remove(Refused(gateway: gateway, region: region))
        regions[region]?.gateways.remove(gateway)
        guard regions[region]?.gateways.isEmpty == true else { return }
        regions[region] = nil
        // No UUID is left that others could differ from.
        refused = refused.filter { $0.region != region }
    }
}
