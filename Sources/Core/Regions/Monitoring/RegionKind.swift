/// The kinds of region. A new one is a case here and in the other enums of this file. Each switch over them then asks what it has to say:
/// here, in `RegionKindFields.swift` for messages, and in `RegionKindKeys.swift` for the configuration.
///
/// The raw value is the word in stored lines.
package enum RegionKind: String, CaseIterable, Sendable {
    case beacon
    case circle

    /// What a region of the kind is called in sentences; with an `s`, several of them.
    package var name: String {
        switch self {
        case .beacon: "beacon region"
        case .circle: "circle"
        }
    }

    /// Whether fixes are its evidence, and not what the radio hears. The gateway itself is inside then.
    package var needsFixes: Bool {
        switch self {
        case .beacon: false
        case .circle: true
        }
    }

    /// Whether beacons are in it, which can be ranged and listed, and which several gateways may hear.
    package var hasBeacons: Bool {
        switch self {
        case .beacon: true
        case .circle: false
        }
    }

    /// Whether `max_instances` limits its instances. Where each region has one, `max_regions` does.
    package var isLimitedByInstances: Bool {
        switch self {
        case .beacon: true
        case .circle: false
        }
    }
}

/// A registered region of any kind, and what every kind has.
package enum MonitoredRegion: Hashable, Sendable {
    case beacon(BeaconRegion)
    case circle(CircularRegion)

    package var kind: RegionKind {
        switch self {
        case .beacon: .beacon
        case .circle: .circle
        }
    }

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

    /// Whether a record is this region's, as it is defined now.
    func canRestore(_ record: RegionRecord) -> Bool {
        switch self {
        case .beacon(let region): region.canRestore(record)
        case .circle(let region): region.canRestore(record)
        }
    }

    /// The rules of its beacons; those of a kind that has none concern nobody.
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

    /// The definition, as it is stored with a state.
    var recorded: RegionRecord.Kind {
        switch self {
        case .beacon(let region): .beacon(of: region.constraint)
        case .circle(let region): .circle(of: region.circle)
        }
    }

    /// What its states tell where no evidence says more.
    var detail: RegionDetail {
        switch self {
        case .beacon: .beacon
        case .circle(let region): .circle(CircleObservation(region.circle, distance_m: nil))
        }
    }
}

extension RegionRecord {
    /// The region that a record is about, by its kind. Under the same id with another definition it is another region.
    package enum Kind: Hashable, Sendable {
        /// Which beacons belonged to it; `nil` where that was not stored.
        case beacon(of: BeaconIdentityConstraint?)
        case circle(of: Circle)

        /// What an exit tells that no evidence has made; `nil` where too little was stored.
        ///
        /// - Parameter keeper: the beacons that kept it inside, where it has any.
        func exitCause(_ keeper: BeaconKeeper?) -> RegionEvent.Cause? {
            switch self {
            case .beacon(of: let constraint): constraint.flatMap { keeper?.exitCause(uuid: $0.uuid) }
            case .circle(of: let circle): .circle(CircleObservation(circle, distance_m: nil))
            }
        }
    }
}

extension RegionEvent {
    /// What crossed the boundary, by the kind of the region.
    package enum Cause: Hashable, Sendable {
        /// The beacon that the region was entered by, at the exit too, and how near it is. At an exit: the last smoothed RSSI,
        /// accuracy −1, proximity `unknown`.
        case beacon(BeaconIdentity, BeaconObservation)
        /// The gateway itself, and where it was.
        case circle(CircleObservation)

        var kind: RegionKind {
            switch self {
            case .beacon: .beacon
            case .circle: .circle
            }
        }
    }
}

/// What a state tells of the region beside whether it is inside, by its kind.
package enum RegionDetail: Hashable, Sendable {
    /// Nothing: which beacons there are is told by events and by ranging.
    case beacon
    /// Which circle it is, and how far from its centre the gateway was.
    case circle(CircleObservation)

    package var kind: RegionKind {
        switch self {
        case .beacon: .beacon
        case .circle: .circle
        }
    }
}

/// What the monitor has for each kind beside the instances.
struct RegionKindTables: Sendable {
    /// Which regions of beacons an identity belongs to.
    var beacons = BeaconRegionIndex()
    /// Where circles are, and what fixes make of them.
    var circles = WatchedCircles()

    /// Whether a state is not decided, or a crossing is under way: a receiver that rests would leave it so.
    var isCrossingUndecided: Bool { RegionKind.allCases.contains { standing(of: $0).isUndecided } }
    /// Whether the gateway is inside any region.
    var isGatewayInside: Bool { RegionKind.allCases.contains { standing(of: $0).isGatewayInside } }
    /// How many instances there are that `max_instances` does not limit.
    var unlimitedCount: Int { RegionKind.allCases.reduce(0) { $0 + standing(of: $1).unlimitedCount } }

    private func standing(
        of kind: RegionKind
    ) -> (isUndecided: Bool, isGatewayInside: Bool, unlimitedCount: Int) {
        switch kind {
        case .beacon: (false, false, 0)
        case .circle: (circles.isUndecided, circles.insideCount > 0, circles.grid.count)
        }
    }
}

/// Where the monitor has each kind's rules do their part.
extension RegionMonitor {
    /// Begins to monitor a region.
    ///
    /// - Parameters:
    ///   - source: what perceives its evidence: see `RegionKind.needsFixes`.
    ///   - notices: what was changed of it, to be said to the operator.
    mutating func register(
        _ region: MonitoredRegion, perceivedBy source: EvidenceSourceID, at now: Instant,
        transitions: inout [RegionTransition], notices: inout [RegionMonitoringNotice]
    ) throws(RegionMonitoringFailure) {
        switch region {
        case .beacon(let region): try register(region, heardBy: source, at: now, transitions: &transitions)
        case .circle(let region):
            try register(region, locatedBy: source, at: now, transitions: &transitions, notices: &notices)
        }
    }

    /// Takes a fix that is used.
    ///
    /// - Parameter source: where it comes from.
    mutating func use(
        _ fix: Fix, from source: EvidenceSourceID, at now: Instant, transitions: inout [RegionTransition],
        notices: inout [RegionMonitoringNotice]
    ) {
        sees(source, at: now)
        sources[source.index].perceived(at: now)
        for kind in RegionKind.allCases {
            switch kind {
            case .beacon: break
            case .circle: judgeCircles(by: fix, at: now, transitions: &transitions, notices: &notices)
            }
        }
    }

    /// A registration ends; its instance is still there.
    mutating func endRules(of registration: RegistrationSlot) {
        switch registrations[registration].region {
        case .beacon(let region): kinds.beacons.remove(region, of: registration)
        case .circle(let region):
            if let slot = slots[RegionInstanceID(region: region.id)] { endCircle(slot, region.circle) }
        }
    }

    /// An earlier process left an instance inside.
    ///
    /// - Parameter keeper: the beacons that kept it, where it has any.
    /// - Returns: the seen time at which it is left if nothing more is perceived.
    mutating func restoreInside(_ slot: InstanceSlot, _ keeper: BeaconKeeper?, at now: Instant) -> Instant {
        switch region(of: slot) {
        case .beacon(let region):
            guard let keeper else { return .distantFuture }
            instances[slot].beacons = .present(BeaconPresence(keeper))
            return leavingTime(of: slot, keeper.patience, region.rules, at: now)
        case .circle:
            restoreCircle(slot)
            return .distantFuture
        }
    }

    /// The source has been blind for so long that the state is not known any more.
    mutating func noteUnknown(_ slot: InstanceSlot) {
        switch region(of: slot) {
        case .beacon: break
        case .circle: kinds.circles.waiting.append(slot)
        }
    }
}
