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
