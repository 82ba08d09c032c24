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
