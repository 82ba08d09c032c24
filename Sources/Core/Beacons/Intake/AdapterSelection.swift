import RealModule

/// Chooses the adapter that a transmitter is tracked with.
///
/// Two adapters of one gateway hear one advertisement at different strengths. If both fed a transmitter's filters, its
/// RSSI would jump with every report. Its learned interval would shrink to the microseconds between the two. So each
/// transmitter has one chosen adapter, at first the one that hears it first. Sightings by the others are left out until
/// one of them takes over:
///
/// - it has heard the transmitter `margin_db` louder than the chosen one for `settling`, or
/// - the chosen one has not heard it for `shortestSilence`, or for four of its intervals where those are longer.
struct AdapterSelection: Sendable {
    /// The number of adapters, which are numbered from 0.
    static let maxAdapters = 8
    /// The difference that makes an adapter clearly louder: more than fading does to a mean over `levelTimeConstant_s`.
    static let margin_db = 6.0
    /// The time for which another adapter must have been clearly louder.
    static let settling = TimeSpan.seconds(2)
    /// The least silence of a transmitter at the chosen adapter before another takes over.
    static let shortestSilence = TimeSpan.seconds(2)
    static let levelTimeConstant_s = 2.0
    /// The silence at all adapters after which a transmitter is forgotten.
    static let forgotten = TimeSpan.seconds(60)

    /// The level of one transmitter at one adapter.
    fileprivate struct Hearing: Sendable {
        var level_dbm: Double
        var lastHeard: Instant
        /// The time since which the adapter is clearly louder than the chosen one without a break.
        var louderSince: Instant?
    }

    private struct Transmitter: Hashable, Sendable {
        var identity: BeaconIdentity
        var address: DeviceAddress
    }

    fileprivate struct Choice: Sendable {
        var adapter: Int
        /// The interval between receptions of the chosen adapter.
        var interval = LearnedInterval()
        var lastHeard: Instant
        var hearings = InlineArray<8, Hearing?>(repeating: nil)
    }

    let capacity: Int
    private var choices: [Transmitter: Choice] = [:]
    /// The time of the last search for room, which goes through all transmitters; `nil` before the first.
    private var lastSearch: Instant?

    /// - Parameter capacity: the number of transmitters remembered. Sightings of further transmitters are all taken.
    init(capacity: Int) { self.capacity = capacity }

    var count: Int { choices.count }

    /// Returns whether a sighting comes from the chosen adapter of its transmitter.
    ///
    /// - Parameter now: not before the time of an earlier call.
    mutating func takes(_ sighting: Sighting, at now: Instant) -> Bool {
        guard (0..<Self.maxAdapters).contains(sighting.adapter) else { return false }
        let transmitter = Transmitter(identity: sighting.identity, address: sighting.address)
        guard choices[transmitter] != nil || makeRoom(at: now) else { return true }
        return choices[transmitter, default: Choice(adapter: sighting.adapter, lastHeard: now)]
            .take(sighting, at: now)
    }

    /// Removes transmitters that are silent. It goes through all of them.
    mutating func removeSilent(at now: Instant) {
        choices = choices.filter { now - $0.value.lastHeard < Self.forgotten }
    }

    private mutating func makeRoom(at now: Instant) -> Bool {
        if choices.count < capacity { return true }
        if let lastSearch, now - lastSearch < .seconds(1) { return false }
        lastSearch = now
        removeSilent(at: now)
        return choices.count < capacity
    }
}

extension AdapterSelection.Choice {
    mutating func take(_ sighting: Sighting, at now: Instant) -> Bool {
        let candidate = sighting.adapter
        hear(sighting, at: now)
        if candidate == adapter {
            interval.add(gap: now - lastHeard)
            lastHeard = now
            return true
        }
        let patience = max(AdapterSelection.shortestSilence, interval.patience.silence)
        let hasSettled = hearings[candidate]?.louderSince.map { now - $0 >= AdapterSelection.settling } ?? false
        guard hasSettled || now - lastHeard > patience else { return false }
        adapter = candidate
        lastHeard = now
        for index in hearings.indices { hearings[index]?.louderSince = nil }
        return true
    }

    /// A sighting without an RSSI does not show which adapter hears better.
    private mutating func hear(_ sighting: Sighting, at now: Instant) {
        guard let rssi_dbm = sighting.rssi_dbm else { return }
        let index = sighting.adapter
        var hearing =
            hearings[index] ?? AdapterSelection.Hearing(level_dbm: rssi_dbm, lastHeard: now, louderSince: nil)
        let elapsed_s = max(0, (now - hearing.lastHeard).seconds)
        let weight = -Double.expMinusOne(-elapsed_s / AdapterSelection.levelTimeConstant_s)
        hearing.level_dbm += weight * (rssi_dbm - hearing.level_dbm)
        hearing.lastHeard = now
        // An adapter that has not heard the beacon is quieter than any other.
        let isLouder = hearings[adapter].map { hearing.level_dbm >= $0.level_dbm + AdapterSelection.margin_db } ?? true
        hearing.louderSince = isLouder ? (hearing.louderSince ?? now) : nil
        hearings[index] = hearing
    }
}
