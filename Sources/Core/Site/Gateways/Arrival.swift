/// When a message came, and when that happened which it tells.
///
/// An event's own time counts. A clock that is not synced says nothing, and nothing happens after it is told: then the arrival
/// counts. What is older than `late_after_s` is late.
struct Arrival: Sendable {
    /// The wait of a state for the event that it names. A gateway that told old events has told all of them after so long without another.
    static let eventPatience = TimeSpan.seconds(2)
    /// A message that is older at its arrival has waited for a line.
    static let longestTransit = TimeSpan.milliseconds(500)

    /// When it came.
    package let now: Instant
    /// What its clock says; `now` where the clock says nothing.
    let told: Instant
    let isLate: Bool
    private let head: PayloadHead?
    private let isTrusted: Bool
    private let timebase: Timebase

    init(_ head: PayloadHead?, at now: Instant, _ timebase: Timebase, lateAfter: TimeSpan) {
        self.now = now
        self.head = head
        self.timebase = timebase
        isTrusted = timebase.isSynced && head?.isClockSynced == true
        told = head.map { timebase.instant($0.at) } ?? now
        isLate = isTrusted && now - told > lateAfter
    }

    /// When that happened which is told.
    var event: Instant { isTrusted ? min(told, now) : now }

    /// How long it was on its way, as far as the clocks say.
    var transit: TimeSpan { isTrusted ? max(now - told, .zero) : .zero }

    /// A time that the message names, on the store's clock; not after its arrival.
    package func instant(_ wall: WallTime) -> Instant {
        guard let head else { return now }
        return min(isTrusted ? timebase.instant(wall) : now - (head.at - wall), now)
    }
}
