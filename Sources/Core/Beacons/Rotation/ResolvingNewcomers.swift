/// The newcomers that are resolving: of which identity, since when and until when. Hardly ever is there any.
struct ResolvingNewcomers: Sendable {
    private struct Group: Sendable {
        /// When the youngest was first heard.
        var latest: Instant
        /// When they were weighed last where they are many.
        var weighedAt: Instant?
    }

    private var groups: [IdentitySlot: Group] = [:]
    /// When it is looked at next whether a newcomer is a track of its own.
    private var dues: [TransmitterSlot: Instant] = [:]
    private(set) var timers = TimerQueue<TransmitterSlot>()

    /// When some newcomer is looked at next.
    var nextDue: Instant { timers.nextDue }

    /// A transmitter that was first heard just now is resolving.
    mutating func begin(_ slot: TransmitterSlot, at now: Instant, in table: inout TransmitterTable) {
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].standing = .resolving
        table.identities[identity].resolvingCount += 1
        groups[identity, default: Group(latest: now)].latest = now
    }

    /// A transmitter that was resolving is decided, is forgotten, or leaves the list.
    mutating func end(_ slot: TransmitterSlot, as standing: Transmitter.Standing, in table: inout TransmitterTable) {
        assert(table.transmitters[slot].standing == .resolving, "it was decided before")
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].standing = standing
        dues[slot] = nil
        table.identities[identity].resolvingCount -= 1
        if table.identities[identity].resolvingCount == 0 { groups[identity] = nil }
    }

    /// A newcomer is looked at again then, whatever was set before.
    mutating func watch(_ slot: TransmitterSlot, until due: Instant) {
        dues[slot] = due
        timers.set(slot, at: due)
        timers.throwOutStale(of: dues.count) { [dues] in dues[$0.subject] == $0.due }
    }

    /// Takes the first timer out.
    ///
    /// - Returns: the newcomer that is to be looked at; `nil` where it is no newcomer any more.
    mutating func runFirst() -> TransmitterSlot? {
        guard let timer = timers.removeFirst(), dues[timer.subject] == timer.due else { return nil }
        dues[timer.subject] = nil
        return timer.subject
    }

    /// When the youngest of an identity that is resolving was first heard; `nil` where none is.
    func latest(of identity: IdentitySlot, in table: TransmitterTable) -> Instant? {
        // The dictionary is left alone while there is nothing in it.
        table.identities[identity].resolvingCount > 0 ? groups[identity]?.latest : nil
    }

    /// Whether the newcomers of an identity were not weighed for so long; if so, they are now.
    mutating func takesTurn(_ identity: IdentitySlot, after pause: TimeSpan, at now: Instant) -> Bool {
        guard let last = groups[identity]?.weighedAt, now < last + pause else {
            groups[identity]?.weighedAt = now
            return true
        }
        return false
    }

    /// Whether each that is resolving is looked at some time, and nobody else is. For checks.
    func watches(exactly slots: Set<TransmitterSlot>, of identities: Set<IdentitySlot>) -> Bool {
        Set(dues.keys) == slots && Set(groups.keys) == identities
            && Set(timers.all.filter { dues[$0.subject] == $0.due }.map(\.subject)) == slots
    }
}
