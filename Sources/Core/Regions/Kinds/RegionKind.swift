/// The kinds of region. A new kind is a case here and in the other enums of this file. The compiler then names each
/// switch that needs it: here, in `RegionMonitor.swift`, in `RegionKindFields.swift` for messages, and in `RegionKindKeys.swift` for the
/// configuration.
///
/// The raw value is the word in stored lines.
package enum RegionKind: String, CaseIterable, Sendable {
    case beacon
    case circle

    /// The name of such a region in sentences; with an `s`, of several.
    package var name: String {
        switch self {
        case .beacon: "beacon region"
        case .circle: "circle"
        }
    }

    /// True if fixes are its evidence, not radio reports. The gateway itself is then inside.
    package var needsFixes: Bool {
        switch self {
        case .beacon: false
        case .circle: true
        }
    }

    /// True if it contains beacons, which can be ranged and listed, and which several gateways may hear.
    package var hasBeacons: Bool {
        switch self {
        case .beacon: true
        case .circle: false
        }
    }

    /// True if `max_instances` limits its instances. Where each region has one instance, `max_regions` does.
    var isLimitedByInstances: Bool {
        switch self {
        case .beacon: true
        case .circle: false
        }
    }
}

/// A registered region of any kind, and the properties that every kind has.
package enum MonitoredRegion: Hashable, Sendable {
    case beacon(BeaconRegion)
    case circle(CircularRegion)

    package var kind: RegionKind {
        switch self {
        case .beacon: .beacon
        case .circle: .circle
        }
    }

    /// The id chosen by the operator.
    package var id: String {
        switch self {
        case .beacon(let region): region.id
        case .circle(let region): region.id
        }
    }

    /// True if the beacons of the region are ranged while it is inside.
    var isRanged: Bool {
        switch self {
        case .beacon(let region): region.isRanged
        case .circle: false
        }
    }

    /// True if its visits are counted, and no message names a beacon.
    var isOfPeople: Bool {
        switch self {
        case .beacon(let region): region.isOfPeople
        case .circle: false
        }
    }

    /// The measured power of its beacons that state an implausible one; `nil` where none is configured.
    var measuredPower_dbm: Int8? {
        switch self {
        case .beacon(let region): region.measuredPower_dbm
        case .circle: nil
        }
    }

    /// Returns whether a record belongs to this region as it is defined now.
    func canRestore(_ record: RegionRecord) -> Bool {
        switch self {
        case .beacon(let region): region.canRestore(record)
        case .circle(let region): region.canRestore(record)
        }
    }

    /// The rules of its beacons. A kind without beacons has rules that no beacon satisfies.
    var rules: BeaconRules {
        switch self {
        case .beacon(let region): region.rules
        case .circle: .ofNobody
        }
    }

    /// The time after registration in which a beacon counts as having been there already; `nil` where evidence decides
    /// when that is over.
    var settle: TimeSpan? {
        switch self {
        case .beacon(let region): region.rules.settle
        case .circle: nil
        }
    }

    /// The blindness of its source after which the state is `unknown`.
    var unknownStateAfter: TimeSpan {
        switch self {
        case .beacon(let region): region.rules.unknownStateAfter
        case .circle(let region): region.rules.unknownStateAfter
        }
    }

    var notices: RegionStateMachine.Notices {
        switch self {
        case .beacon(let region):
            RegionStateMachine.Notices(onEntry: region.notifyOnEntry, onExit: region.notifyOnExit)
        case .circle(let region):
            RegionStateMachine.Notices(onEntry: region.notifyOnEntry, onExit: region.notifyOnExit)
        }
    }

    /// The definition, as stored with a state.
    var recorded: RegionRecord.Kind {
        switch self {
        case .beacon(let region): .beacon(of: region.constraint)
        case .circle(let region): .circle(of: region.circle)
        }
    }

    /// The detail of its states where no evidence gives another.
    var detail: RegionDetail {
        switch self {
        case .beacon: .beacon
        case .circle(let region): .circle(CircleObservation(circle: region.circle, distance_m: nil))
        }
    }
}

extension RegionRecord {
    /// The region of a record, by its kind. A region with this id and another definition is another region.
    package enum Kind: Hashable, Sendable {
        /// The constraint of its beacons; `nil` where it was not stored.
        case beacon(of: BeaconIdentityConstraint?)
        case circle(of: Circle)

        /// Returns the cause of an exit without evidence; `nil` where too little was stored.
        ///
        /// - Parameter keeper: the beacons that kept it inside, if any.
        func exitCause(_ keeper: BeaconKeeper?) -> RegionEvent.Cause? {
            switch self {
            case .beacon(of: let constraint): constraint.flatMap { keeper?.exitCause(uuid: $0.uuid) }
            case .circle(of: let circle): .circle(CircleObservation(circle: circle, distance_m: nil))
            }
        }
    }
}

extension RegionEvent {
    package enum Cause: Hashable, Sendable {
        /// The beacon that caused the entry, also at the exit, and its distance. At an exit: the last smoothed RSSI,
        /// accuracy −1, proximity `unknown`.
        case beacon(BeaconIdentity, BeaconObservation)
        /// The gateway itself, and its place.
        case circle(CircleObservation)

        var kind: RegionKind {
            switch self {
            case .beacon: .beacon
            case .circle: .circle
            }
        }
    }
}

/// The details of a state by kind of region, beside inside or outside.
package enum RegionDetail: Hashable, Sendable {
    /// No detail: events and ranging show the beacons.
    case beacon
    /// The circle, and the gateway's distance from its centre.
    case circle(CircleObservation)

    package var kind: RegionKind {
        switch self {
        case .beacon: .beacon
        case .circle: .circle
        }
    }
}

/// The monitor's data for each kind beside the instances. `RegionMonitor` calls the rules of each kind.
struct RegionKindTables: Sendable {
    var beacons = BeaconRegionIndex()
    /// The circles, and the effects of fixes on them.
    var circles = CircleMonitor()

    /// True if a state is not decided, or a crossing is under way: a receiver must not rest then.
    var isCrossingUndecided: Bool {
        RegionKind.allCases.contains { kind in
            switch kind {
            case .beacon: false
            case .circle: circles.isUndecided
            }
        }
    }
    var isGatewayInside: Bool {
        RegionKind.allCases.contains { kind in
            switch kind {
            case .beacon: false
            case .circle: circles.isGatewayInside
            }
        }
    }
}
