/// Time passes: transmitters fall silent, leave the list, are forgotten, and come back.
extension BeaconTracker {
    /// The longest silence of everybody that says nothing of the radio; `nil` where fewer than two are heard, whose silence is their
    /// own.
    var ordinarySilence: TimeSpan? { table.heardCount > 1 ? presence.pauses.ordinary : nil }

    /// When `advance` has something to do next.
    var nextDeadline: Instant { min(presence.nextDue, rotation.newcomers.nextDue) }

    /// Runs the first timer that is due before `limit`.
    ///
    /// At equal times who is silent is known before newcomers are decided, because a newcomer's last moment to take over is
    /// the one at which a slow predecessor is out of the ordinary silent.
    ///
    /// - Returns: when it was due; `nil` where none is. The caller goes on with other timers up to that time, so that
    ///   everything happens in order.
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

    /// A transmitter has been silent for as long as its presence allows.
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

    /// A silent transmitter is heard again.
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

    /// Takes a transmitter out of everything that knows it.
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

/// Has `Rotation` decide when something happened that it depends on, and has the filters follow.
extension BeaconTracker {
    /// Tracks counted so far: provisional ones that were taken over are not among them.
    var trackCount: UInt64 { rotation.trackCount }

    /// A transmitter is new, or new again: it may be an old one under a new address.
    mutating func resolveNewcomer(_ slot: TransmitterSlot, at now: Instant) {
        guard rotation.startResolving(slot, at: now, presence, in: &table) else { return }
        resolveRotations(of: table.transmitters[slot].identitySlot, at: now)
    }

    /// The newcomers of an identity are gone through. Who takes over goes on with the filters of the predecessor.
    mutating func resolveRotations(of identity: IdentitySlot, at now: Instant) {
        for succession in rotation.resolve(identity, at: now, presence, in: &table) {
            smoothing.takeOver(
                table.transmitters[succession.predecessor].signal,
                into: &table.transmitters[succession.newcomer].signal)
        }
    }

    /// A report may show that its transmitter did not fall silent before some newcomer was first heard.
    ///
    /// - Parameter previously: when it was heard before.
    mutating func proveAlive(
        _ slot: TransmitterSlot, since previously: Instant, at now: Instant, changes: inout [TrackerChange]
    ) {
        // Asked with every report, and hardly ever is anybody resolving.
        let identity = table.transmitters[slot].identitySlot
        let resolvingCount = table.identities[identity].resolvingCount
        guard resolvingCount > 0, rotation.provesAlive(slot, since: previously, in: table) else { return }
        resolveRotations(of: identity, at: now)
        if table.identities[identity].resolvingCount < resolvingCount { changes.append(.listChanged(identity)) }
    }

    /// A newcomer is looked at again.
    mutating func newcomerIsDue(_ slot: TransmitterSlot, at now: Instant, changes: inout [TrackerChange]) {
        let identity = table.transmitters[slot].identitySlot
        resolveRotations(of: identity, at: now)
        if rotation.decide(slot, at: now, presence, in: &table) { changes.append(.listChanged(identity)) }
    }

    /// A transmitter that left the list, and whose track is another's or was never known, is heard again.
    mutating func returnedWithoutTrack(_ slot: TransmitterSlot, at now: Instant) {
        rotation.returnsWithoutTrack(slot, in: &table)
        resolveNewcomer(slot, at: now)
    }

    /// A transmitter whose track was taken over is heard again while it is listed: there are two devices after all.
    mutating func provedDistinct(_ slot: TransmitterSlot, from successor: TransmitterSlot, at now: Instant) {
        guard rotation.part(slot, from: successor, in: &table) else { return }
        // It may have been another one before that.
        resolveNewcomer(successor, at: now)
        // It was counted before, and waits no second time.
        if table.transmitters[successor].standing == .resolving { rotation.settle(successor, in: &table) }
    }
}
