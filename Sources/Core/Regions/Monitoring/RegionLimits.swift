struct RegionLimits: Hashable, Sendable {
    /// The most registrations; the next one is refused.
    var maxRegions: Int
    /// The most instances of all regions of beacons together. When it is reached, the expanded region's instance that
    /// has been outside for longest gives way.
    var maxInstances: Int
    /// The most new instances of expanded regions in a minute; 0 for no limit.
    var maxNewcomersPerMinute: Int
    /// The time outside after which an expanded region's instance is deleted; `forever` for no limit.
    var forgetAfter: TimeSpan
    /// The most circles outside that are compared with a fix, at least 1.
    var maxWatchedCircles: Int

    init(
        maxRegions: Int, maxInstances: Int, maxNewcomersPerMinute: Int = 600,
        forgetAfter: TimeSpan = .seconds(30 * 86_400), maxWatchedCircles: Int = 20
    ) {
        self.maxRegions = maxRegions
        self.maxInstances = maxInstances
        self.maxNewcomersPerMinute = maxNewcomersPerMinute
        self.forgetAfter = forgetAfter
        self.maxWatchedCircles = max(1, maxWatchedCircles)
    }
}

/// A registration or a newcomer that a limit refused. Core Location's `monitoringDidFailFor`.
package struct RegionMonitoringFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        case tooManyRegions(limit: Int)
        case tooManyInstances(limit: Int)
        /// More new instances of expanded regions came within a minute than allowed.
        case tooManyNewcomers(limit: Int)
        /// A beacon of the region is not tracked; the region itself is monitored.
        case tooManyTransmitters(limit: Int)
    }

    var region: String
    var cause: Cause

    package var description: String {
        switch cause {
        case .tooManyRegions(let limit):
            "regionMonitoringFailure: region \"\(region)\" is not monitored: there are \(limit) already; "
                + "raise regions.max_regions"
        case .tooManyInstances(let limit):
            "regionMonitoringFailure: region \"\(region)\" gets no further instance: there are \(limit) already; "
                + "raise regions.max_instances"
        case .tooManyNewcomers(let limit):
            "regionMonitoringFailure: entries into region \"\(region)\" are held back: more than \(limit) new instances "
                + "within a minute; if these are real beacons, raise regions.max_newcomers_per_minute"
        case .tooManyTransmitters(let limit):
            "regionMonitoringFailure: a beacon of region \"\(region)\" is not tracked: there are \(limit) already; "
                + "raise radio.max_transmitters"
        }
    }
}

/// A notice for the operator about a region that is monitored nevertheless.
package struct RegionMonitoringNotice: Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        /// A radius larger than `CircularRegion.maxRadius_m`, which was clamped to it. Metres.
        case radiusClamped(from_m: Double)
        /// A radius less than twice the usual accuracy of fixes. Metres.
        case radiusTooSmall(radius_m: Double, usual_m: Double)
        /// A beacon states a measured power that cannot be. The configured one, if any, is used in its place.
        case implausiblePower(ImplausiblePower, configured_dbm: Int8?)
        /// In a store: gateways give one region id different UUIDs. The gateway that spoke first decides.
        case otherUUID(ProximityUUID, gateway: String, known: ProximityUUID, knownGateway: String)
    }

    var region: String
    var cause: Cause

    package var description: String {
        switch cause {
        case .radiusClamped(let from_m):
            "region \"\(region)\": its radius of \(Self.metres(from_m)) m is clamped to "
                + "\(Self.metres(CircularRegion.maxRadius_m)) m, the largest that is monitored"
        case .radiusTooSmall(let radius_m, let usual_m):
            "region \"\(region)\": its radius of \(Self.metres(radius_m)) m is less than twice the usual accuracy of the "
                + "fixes here, \(Self.metres(usual_m)) m; crossings may come late or not at all: make it larger"
        case .implausiblePower(let beacon, let configured_dbm):
            "region \"\(region)\": beacon \(beacon.identity.major)/\(beacon.identity.minor) states a measured power of "
                + "\(beacon.measuredPower_dbm) dBm, which cannot be; "
                + (configured_dbm.map { "measured_power_dbm = \($0) of the region is used" }
                    ?? "its distance is unknown: correct the beacon, or set measured_power_dbm in its [[region]]")
        case .otherUUID(let uuid, let gateway, let known, let knownGateway):
            "region \"\(region)\": gateway \"\(gateway)\" monitors UUID \(uuid), and gateway \"\(knownGateway)\" monitors \(known); what "
                + "\"\(gateway)\" tells of the region is not joined: give both regions one UUID, or two ids"
        }
    }

    /// Returns metres rounded to a tenth, without a zero fraction.
    private static func metres(_ metres: Double) -> String {
        let tenths = Int64((min(max(metres, 0), 1e12) * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
