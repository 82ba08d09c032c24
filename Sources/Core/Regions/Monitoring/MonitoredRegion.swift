/// A registered region of any kind, and what every kind has. A kind of region is one more case here.
package enum MonitoredRegion: Hashable, Sendable {
    case beacon(BeaconRegion)
    case circle(CircularRegion)

    /// The operator's own name.
    package var id: String {
        switch self {
        case .beacon(let region): region.id
        case .circle(let region): region.id
        }
    }

    /// Whether the beacons of the region are ranged while it is inside.
    var isRanged: Bool {
        switch self {
        case .beacon(let region): region.isRanged
        case .circle: false
        }
    }

    package var isCircle: Bool {
        if case .circle = self { true } else { false }
    }

    /// Whether a record is this region's, as it is defined now.
    func canRestore(_ record: RegionRecord) -> Bool {
        switch self {
        case .beacon(let region): region.canRestore(record)
        case .circle(let region): region.canRestore(record)
        }
    }

    /// The rules of its beacons; those of a circle concern none.
    var rules: BeaconRules {
        switch self {
        case .beacon(let region): region.rules
        case .circle: .ofNobody
        }
    }

    /// How long after registration what is there counts as having been there already; `nil` where evidence says when that is over.
    var settle: TimeSpan? {
        switch self {
        case .beacon(let region): region.rules.settle
        case .circle: nil
        }
    }

    /// How long its source may be blind before the state is `unknown`.
    var unknownStateAfter: TimeSpan {
        switch self {
        case .beacon(let region): region.rules.unknownStateAfter
        case .circle(let region): region.rules.unknownStateAfter
        }
    }

    var notices: RegionStanding.Notices {
        switch self {
        case .beacon(let region):
            RegionStanding.Notices(onEntry: region.notifyOnEntry, onExit: region.notifyOnExit)
        case .circle(let region):
            RegionStanding.Notices(onEntry: region.notifyOnEntry, onExit: region.notifyOnExit)
        }
    }

    /// What an instance knows that is new.
    var newInstance: RegionInstance.Kind {
        switch self {
        case .beacon: .beacon(.nobody)
        case .circle: .circle
        }
    }

    /// The definition, as it is stored with a state.
    var recorded: RegionRecord.Kind {
        switch self {
        case .beacon(let region): .beacon(of: region.constraint)
        case .circle(let region): .circle(of: region.circle)
        }
    }
}

extension RegionInstance.Kind {
    /// Who keeps the instance inside, as it is stored; `nil` where nobody does.
    var keeper: RegionRecord.Keeper? {
        switch self {
        case .beacon(.present(let presence)): .beacon(BeaconKeeper(presence))
        case .beacon: nil
        case .circle: .circle
        }
    }

    /// Nobody is there any more.
    mutating func clear() {
        switch self {
        case .beacon: self = .beacon(.nobody)
        case .circle: break
        }
    }
}

extension RegionRecord.Keeper {
    /// What an exit from that region tells of it; `nil` for a region of another kind.
    func exitCause(_ region: MonitoredRegion) -> RegionEvent.Cause? {
        switch (self, region) {
        case (.beacon(let keeper), .beacon(let region)): keeper.exitCause(uuid: region.uuid)
        case (.circle, .circle(let region)): .circle(CircleObservation(region.circle, distance_m: nil))
        case (.beacon, _), (.circle, _): nil
        }
    }
}

/// A registration or a newcomer that a limit refused. Core Location's `monitoringDidFailFor`.
package struct RegionMonitoringFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        case tooManyRegions(limit: Int)
        case tooManyInstances(limit: Int)
        /// More new instances of expanded regions came within a minute than there may be.
        case tooManyNewcomers(limit: Int)
        /// A beacon of the region is not tracked; the region itself is monitored.
        case tooManyTransmitters(limit: Int)
    }

    var region: String
    var cause: Cause

    init(region: String, cause: Cause) {
        self.region = region
        self.cause = cause
    }

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
