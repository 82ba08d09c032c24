import RealModule

/// Which of several adapters a transmitter is followed with.
///
/// Two adapters of one gateway hear the same advertisement at different strengths. Were both to feed a transmitter's
/// filters, its RSSI would jump with every report, and its learned interval would shrink to the microseconds between the
/// two. So one adapter is chosen for each transmitter, the first that hears it, and what the others hear of it is left
/// out until one of them takes over:
///
/// - it has heard the transmitter `margin_db` louder than the chosen one for `settling`, or
/// - the chosen one has not heard it for `shortestSilence`, or four of its intervals where those are longer.
struct AdapterSelection: Sendable {
    /// Adapters are numbered from 0 to below this.
    static let maxAdapters = 8
    /// Clearly louder: beyond what fading alone does to a mean over `levelTimeConstant_s`.
    static let margin_db = 6.0
    /// How long another adapter must have been clearly louder.
    static let settling = TimeSpan.seconds(2)
    /// A chosen adapter may miss a transmitter this long at least.
    static let shortestSilence = TimeSpan.seconds(2)
    static let levelTimeConstant_s = 2.0
    /// A transmitter that nobody has heard for this long may be forgotten, if there are too many.
    static let forgotten = TimeSpan.seconds(60)

    /// What one adapter hears of one transmitter.
    fileprivate struct Hearing: Sendable {
        var level_dbm: Double
        var lastHeard: Instant
        /// Clearly louder than the chosen one without a break since then.
        var louderSince: Instant?
    }

    private struct Transmitter: Hashable, Sendable {
        var identity: BeaconIdentity
        package var address: DeviceAddress
    }

    fileprivate struct Choice: Sendable {
        package var adapter: Int
        /// Between receptions of the chosen adapter.
        package var interval = LearnedInterval()
        var lastHeard: Instant
        var hearings = InlineArray<8, Hearing?>(repeating: nil)
    }

    private let capacity: Int
    private var choices: [Transmitter: Choice] = [:]
    /// Looking for transmitters to forget goes through all of them.
    private var nextCleaning = Instant.origin

    /// - Parameter capacity: transmitters remembered; of one beyond them, everything is taken.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many transmitters are remembered.
    package var count: Int { choices.count }

    /// Whether a sighting is by the adapter that its transmitter is followed with.
    ///
    /// - Parameter now: not before the time of an earlier call.
    mutating func takes(_ sighting: Sighting, at now: Instant) -> Bool {
        guard (0..<Self.maxAdapters).contains(sighting.adapter) else { return false }
        let transmitter = Transmitter(identity: sighting.identity, address: sighting.address)
        guard choices[transmitter] != nil || makeRoom(at: now) else { return true }
        return choices[transmitter, default: Choice(adapter: sighting.adapter, lastHeard: now)]
            .take(sighting, at: now)
    }

    private mutating func makeRoom(at now: Instant) -> Bool {
        if choices.count < capacity { return true }
        guard now >= nextCleaning else { return false }
        nextCleaning = now + .seconds(1)
        choices = choices.filter { now - $0.value.lastHeard < Self.forgotten }
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

    /// A sighting without an RSSI says nothing about which adapter hears better.
    private mutating func hear(_ sighting: Sighting, at now: Instant) {
        guard let rssi_dbm = sighting.rssi_dbm else { return }
        let index = sighting.adapter
        var hearing =
            hearings[index] ?? AdapterSelection.Hearing(level_dbm: rssi_dbm, lastHeard: now, louderSince: nil)
        let elapsed_s = max(0, (now - hearing.lastHeard).seconds)
        let weight = -Double.expMinusOne(-elapsed_s / AdapterSelection.levelTimeConstant_s)
        hearing.level_dbm += weight * (rssi_dbm - hearing.level_dbm)
        hearing.lastHeard = now
        let isLouder = hearings[adapter].map { hearing.level_dbm >= $0.level_dbm + AdapterSelection.margin_db }
        hearing.louderSince = isLouder ?? true ? hearing.louderSince ?? now : nil
        hearings[index] = hearing
    }
}
