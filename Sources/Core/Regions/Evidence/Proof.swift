/// The last moment at which a source is known to have perceived, and how far that carries.
///
/// A radio that dies is found out some seconds later, and an exit told in between would be false. So a timer that comes
/// due in silence, which is when nothing of any kind has been heard for longer than `reach`, waits until the radio has
/// proved that it hears. Whoever owns the radio asks its controller meanwhile; where nothing can be asked, as in a replay,
/// no proof is needed.
struct Proof: Sendable {
    /// `exit_after_s` is one second at least, so no exit can be due so soon after the radio died.
    static let reach = TimeSpan.milliseconds(500)

    let isNeeded: Bool
    private(set) var provedAt = Instant(microseconds: .min)
    /// Timers that wait for a later proof.
    private(set) var waiting: [EvidenceSource.Timer] = []
    /// What has waited comes to pass at the proof, not before. A capture's time may begin before that of Unix.
    private(set) var releasedAt = Instant(microseconds: .min)

    func covers(_ due: Instant) -> Bool { !isNeeded || due <= provedAt + Self.reach }

    mutating func proved(at instant: Instant) { provedAt = max(provedAt, instant) }

    mutating func await(_ timer: EvidenceSource.Timer) { waiting.append(timer) }

    /// The timers that have waited; none waits any more.
    mutating func release(at instant: Instant) -> [EvidenceSource.Timer] {
        defer { waiting = [] }
        releasedAt = max(releasedAt, instant)
        return waiting
    }
}
