/// The passing of time: transmitters fall silent, leave the list, are forgotten, and come back.
extension BeaconTracker {
    /// The longest common silence that does not mean a deaf radio; `nil` where fewer than two transmitters are heard.
    var ordinarySilence: TimeSpan? { table.heardCount > 1 ? presence.pauses.ordinary : nil }

    /// The time of the next timer.
    var nextDeadline: Instant { min(presence.nextDue, rotation.newcomers.nextDue) }

    /// Runs the first timer that is due before `limit`.
    ///
    /// At equal times, silences come before newcomers. A newcomer's last moment to take over is the one at which a slow
    /// predecessor becomes silent.
    ///
    /// - Returns: the time of the timer; `nil` where none is due. The caller runs other timers up to that time, so that
    ///   all things happen in order.
    mutating func advance(before limit: Instant, changes: inout [TrackerChange]) -> Instant? {
        let due = nextDeadline
        guard due < limit else { return nil }
        if presence.nextDue == due {
            if let slot = presence.runFirst(in: &table) { stayedSilent(slot, at: due, changes: &changes) }
        } else if let slot = rotation.runFirst() {
            newcomerIsDue(slot, at: due, changes: &changes)
        }
        return due
    }

    /// Moves a transmitter on that has been silent for as long as its presence allows.
    private mutating func stayedSilent(_ slot: TransmitterSlot, at now: Instant, changes: inout [TrackerChange]) {
        let identity = table.transmitters[slot].identitySlot
        switch table.transmitters[slot].presence {
        case .heard:
            table.setPresence(slot, .silent)
            table.transmitters[slot].zone = .unknown
        case .silent:
            rotation.leaves(slot, in: &table)
            table.setPresence(slot, .gone)
            admission.left(slot, in: &table)
        case .gone:
            return forget(slot, changes: &changes)
        }
        presence.watch(slot, in: &table)
        if rotation.isPredecessor(slot, in: table) { resolveRotations(of: identity, at: now) }
        changes.append(.listChanged(identity))
    }

    /// Moves a silent transmitter back that is heard again.
    mutating func returned(
        _ slot: TransmitterSlot, from before: Transmitter.Presence, at now: Instant, changes: inout [TrackerChange]
    ) {
        table.setPresence(slot, .heard)
        if before == .gone {
            admission.returned(slot, in: &table)
            table.transmitters[slot].trackFirstHeard = now
            table.transmitters[slot].firstHeard = now
        }
        switch table.transmitters[slot].standing {
        case .succeeded(let successor) where before != .gone: provedDistinct(slot, from: successor, at: now)
        case .succeeded, .undecided: returnedWithoutTrack(slot, at: now)
        case .settled, .resolving: break
        }
        changes.append(.listChanged(table.transmitters[slot].identitySlot))
    }

    /// Removes a transmitter from all parts of the tracker.
    mutating func forget(_ slot: TransmitterSlot, changes: inout [TrackerChange]) {
        admission.forget(slot, in: &table)
        rotation.forget(slot, in: &table)
        presence.forget(slot, in: &table)
        if table.transmitters[slot].isListed {
            changes.append(.listChanged(table.transmitters[slot].identitySlot))
        }
        if let identity = table.remove(slot) { changes.append(.identityForgotten(identity)) }
    }
}

/// Calls `Rotation` on each event that it depends on, and updates the filters.
extension BeaconTracker {
    /// The tracks counted so far, without the provisional ones that were taken over.
    var trackCount: UInt64 { rotation.trackCount }

    /// Checks whether a new or returned transmitter may be an older one under a new address.
    mutating func resolveNewcomer(_ slot: TransmitterSlot, at now: Instant) {
        guard rotation.startResolving(slot, at: now, presence, in: &table) else { return }
        resolveRotations(of: table.transmitters[slot].identitySlot, at: now)
    }

    /// Weighs the newcomers of an identity. A successor continues the filters of its predecessor.
    mutating func resolveRotations(of identity: IdentitySlot, at now: Instant) {
        for succession in rotation.resolve(identity, at: now, presence, in: &table) {
            smoothing.takeOver(
                table.transmitters[succession.predecessor].signal,
                into: &table.transmitters[succession.newcomer].signal)
        }
    }

    /// Checks whether a report shows that its transmitter did not fall silent before some newcomer was first heard.
    ///
    /// - Parameter previously: the time of its report before.
    mutating func proveAlive(
        _ slot: TransmitterSlot, since previously: Instant, at now: Instant, changes: inout [TrackerChange]
    ) {
        // This runs with every report, and usually no newcomer is resolving.
        let identity = table.transmitters[slot].identitySlot
        let resolvingCount = table.identities[identity].resolvingCount
        guard resolvingCount > 0, rotation.provesAlive(slot, since: previously, in: table) else { return }
        resolveRotations(of: identity, at: now)
        if table.identities[identity].resolvingCount < resolvingCount { changes.append(.listChanged(identity)) }
    }

    /// Checks a newcomer whose timer is due.
    mutating func newcomerIsDue(_ slot: TransmitterSlot, at now: Instant, changes: inout [TrackerChange]) {
        let identity = table.transmitters[slot].identitySlot
        resolveRotations(of: identity, at: now)
        if rotation.decide(slot, at: now, presence, in: &table) { changes.append(.listChanged(identity)) }
    }

    /// Takes a transmitter without a track that left the list and is heard again.
    mutating func returnedWithoutTrack(_ slot: TransmitterSlot, at now: Instant) {
        rotation.returnsWithoutTrack(slot, in: &table)
        resolveNewcomer(slot, at: now)
    }

    /// Separates a listed transmitter, which is heard again, from the successor of its track: there are two devices.
    mutating func provedDistinct(_ slot: TransmitterSlot, from successor: TransmitterSlot, at now: Instant) {
        guard rotation.part(slot, from: successor, in: &table) else { return }
        // The successor may have had another predecessor.
        resolveNewcomer(successor, at: now)
        // The successor was counted before, and does not wait a second time.
        if table.transmitters[successor].standing == .resolving { rotation.settle(successor, in: &table) }
    }
}
