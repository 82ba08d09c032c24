/// What the operator should know of a region that is monitored all the same.
package struct RegionMonitoringNotice: Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        /// Its radius was more than `CircularRegion.maxRadius_m`, and is that now. Metres.
        case radiusClamped(from_m: Double)
        /// Its radius is less than twice what fixes are usually wrong by. Metres.
        case radiusTooSmall(radius_m: Double, usual_m: Double)
        /// In a store: a gateway's region has another UUID than the region of the same id of a gateway that spoke before.
        case otherUUID(ProximityUUID, gateway: String, known: ProximityUUID, knownGateway: String)
    }

    var region: String
    var cause: Cause

    init(region: String, _ cause: Cause) {
        self.region = region
        self.cause = cause
    }

    package var description: String {
        switch cause {
        case .radiusClamped(let from_m):
            "region \"\(region)\": its radius of \(Self.metres(from_m)) m is clamped to "
                + "\(Self.metres(CircularRegion.maxRadius_m)) m, the largest that is monitored"
        case .radiusTooSmall(let radius_m, let usual_m):
            "region \"\(region)\": its radius of \(Self.metres(radius_m)) m is less than twice the usual accuracy of the "
                + "fixes here, \(Self.metres(usual_m)) m; crossings may come late or not at all: make it larger"
        case .otherUUID(let uuid, let gateway, let known, let knownGateway):
            "region \"\(region)\": gateway \"\(gateway)\" monitors UUID \(uuid), and gateway \"\(knownGateway)\" monitors \(known); what "
                + "\"\(gateway)\" tells of the region is not joined: give both regions one UUID, or two ids"
        }
    }

    /// To a tenth, without a fraction where there is none.
    private static func metres(_ metres: Double) -> String {
        let tenths = Int64((min(max(metres, 0), 1e12) * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
