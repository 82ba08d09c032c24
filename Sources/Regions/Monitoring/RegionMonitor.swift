public import Beacons
public import HCI
import HeapModule

/// Where a region instance stands in the monitor.
public typealias InstanceSlot = Int

/// A report of a beacon, as far as regions are concerned.
public struct RegionEvidence: Sendable {
    public var transmitter: TransmitterSlot
    public var identity: BeaconIdentity
    /// Smoothed by the region filter; `nil` where no report of this transmitter carried a strength.
    public var level: SignalLevel?
    /// The silence that is ordinary for this transmitter.
    public var patience: Patience

    public init(transmitter: TransmitterSlot, identity: BeaconIdentity, level: SignalLevel?, patience: Patience) {
        self.transmitter = transmitter
        self.identity = identity
        self.level = level
        self.patience = patience
    }
}

/// Monitors regions the way Core Location documents it: only crossings of a boundary make events.
///
/// Registrations go in with `register`, reports with `receive`, time with `advance`, the radio's sight with `blinded`
/// and `sees`. The rules stand in the extensions: `+Entering`, `+Leaving`, `+Settling`, `+Blindness`, `+Restoring`,
/// `+Unregistering`, `+Querying`.
public struct RegionMonitor: Sendable {
    /// One registered region.
    struct Registration: Sendable {
        var region: BeaconRegion
        /// Seen time at which what is there counts as having been there before.
        var settlesAt: Instant
        /// Whether a refused instance was reported, and a refused transmitter: once is enough.
        var hasRefusedInstance = false
        var hasRefusedTransmitter = false
        /// It was unregistered; its place waits to be used again.
        var isFree = false
    }

    /// A timer of one instance, on seen time.
    struct Timer: Comparable, Sendable {
        var due: Instant
        var number: UInt64
        var slot: InstanceSlot

        static func < (left: Timer, right: Timer) -> Bool { (left.due, left.number) < (right.due, right.number) }
    }

    let limits: RegionLimits
    var registrations: [Registration] = []
    var index = RegionIndex()
    /// By slot, in the order in which they were made.
    public internal(set) var instances: [RegionInstanceID] = []
    var states: [RegionInstance] = []
    var slots: [RegionInstanceID: InstanceSlot] = [:]
    /// Places of what was unregistered, to be used again.
    var freeRegistrations: [Int] = []
    var freeSlots: [InstanceSlot] = []
    var timers = Heap<Timer>()
    var timerNumber: UInt64 = 0
    var radio = BlindRadio()
    var proof: RadioProof
    /// When states become unknown while the radio is blind.
    var unknownDue = Instant.distantFuture

    /// - Parameter canProbe: whether the radio can be asked if it hears. Then a timer that comes due in silence waits for
    ///   that; see `isAwaitingProof`.
    public init(limits: RegionLimits, canProbe: Bool = false) {
        self.limits = limits
        proof = RadioProof(isNeeded: canProbe)
    }

    /// Begins to monitor a region. One that is not expanded has its instance, and a state, at once.
    public mutating func register(
        _ region: BeaconRegion, at now: Instant, transitions: inout [RegionTransition]
    ) throws(RegionMonitoringFailure) {
        guard registrations.count - freeRegistrations.count < limits.maxRegions else {
            throw RegionMonitoringFailure(region: region.id, cause: .tooManyRegions(limit: limits.maxRegions))
        }
        let settlesAt = radio.seenTime(at: now) + region.rules.settle
        let registration = place(Registration(region: region, settlesAt: settlesAt))
        index.insert(region, as: registration)
        if region.expansion == .none {
            let id = RegionInstanceID(region: region.id)
            do throws(RegionMonitoringFailure) {
                _ = try instance(id, of: registration, at: now, transitions: &transitions)
            } catch {
                registrations[registration].hasRefusedInstance = true
                throw error
            }
        }
    }

    /// Whether any region is interested in the identity.
    public func isWanted(_ identity: BeaconIdentity) -> Bool {
        !index.registrations(of: identity).isEmpty
    }

    /// The instances that an identity belongs to; those of expanded regions are made where the value is new.
    ///
    /// - Parameter failures: instances that a limit refused, each region reported once.
    public mutating func instances(
        of identity: BeaconIdentity, at now: Instant, transitions: inout [RegionTransition],
        failures: inout [RegionMonitoringFailure]
    ) -> [InstanceSlot] {
        var found: [InstanceSlot] = []
        for registration in index.registrations(of: identity) {
            let region = registrations[registration].region
            do throws(RegionMonitoringFailure) {
                found.append(
                    try instance(region.instance(of: identity), of: registration, at: now, transitions: &transitions))
            } catch {
                if !registrations[registration].hasRefusedInstance { failures.append(error) }
                registrations[registration].hasRefusedInstance = true
            }
        }
        return found
    }

    /// A beacon with the identity is not tracked because of a limit on transmitters.
    ///
    /// - Parameter failures: each region that it belongs to, reported once.
    public mutating func transmitterRefused(
        _ identity: BeaconIdentity, limit: Int, failures: inout [RegionMonitoringFailure]
    ) {
        for registration in index.registrations(of: identity)
        where !registrations[registration].hasRefusedTransmitter {
            registrations[registration].hasRefusedTransmitter = true
            let region = registrations[registration].region.id
            failures.append(RegionMonitoringFailure(region: region, cause: .tooManyTransmitters(limit: limit)))
        }
    }

    /// The region that an instance belongs to.
    public func region(of slot: InstanceSlot) -> BeaconRegion {
        registrations[states[slot].registration].region
    }

    /// Where an instance stands; `nil` for one that was never heard or is not registered.
    public func slot(of id: RegionInstanceID) -> InstanceSlot? { slots[id] }

    /// What subscribers were told last. Core Location's `requestState(for:)`.
    public func state(of slot: InstanceSlot) -> RegionState { states[slot].state }

    mutating func instance(
        _ id: RegionInstanceID, of registration: Int, at now: Instant, transitions: inout [RegionTransition]
    ) throws(RegionMonitoringFailure) -> InstanceSlot {
        if let known = slots[id] { return known }
        guard slots.count < limits.maxInstances else {
            throw RegionMonitoringFailure(region: id.region, cause: .tooManyInstances(limit: limits.maxInstances))
        }
        let slot = place(RegionInstance(id: id, registration: registration, since: now))
        slots[id] = slot
        beginSettling(slot, at: now, transitions: &transitions)
        return slot
    }

    private mutating func place(_ registration: Registration) -> Int {
        if let free = freeRegistrations.popLast() {
            registrations[free] = registration
            return free
        }
        registrations.append(registration)
        return registrations.count - 1
    }

    private mutating func place(_ instance: RegionInstance) -> InstanceSlot {
        if let free = freeSlots.popLast() {
            states[free] = instance
            instances[free] = instance.id
            return free
        }
        states.append(instance)
        instances.append(instance.id)
        return states.count - 1
    }

    mutating func setTimer(_ slot: InstanceSlot, dueAtSeenTime due: Instant) {
        guard states[slot].due != due else { return }
        states[slot].due = due
        timerNumber += 1
        timers.insert(Timer(due: due, number: timerNumber, slot: slot))
        // One timer is set for each instance at most. Regions that come and go leave stale ones behind, which are thrown
        // out once they are most of the queue.
        if timers.count > 4 * (slots.count + 64) {
            timers = Heap(timers.unordered.filter { states[$0.slot].due == $0.due })
        }
    }

    /// Asked for with every report, so it is read where it stands: a copy of the whole region would count references to its
    /// name.
    func rules(of slot: InstanceSlot) -> RegionRules { registrations[states[slot].registration].region.rules }
}
