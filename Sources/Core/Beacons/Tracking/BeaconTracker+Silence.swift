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
