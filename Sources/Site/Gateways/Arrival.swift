import HCI
import Messages

/// When a message came, and when that happened which it tells.
///
/// An event's own time counts. A clock that is not synced says nothing, and nothing happens after it is told: then the arrival
/// counts. What is older than `late_after_s` is late.
struct Arrival: Sendable {
    /// A state that names an event waits for it so long.
    static let eventPatience = TimeSpan.seconds(2)

    /// When it came.
    let now: Instant
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

    /// Whether it was told just now, as far as can be known.
    var isFresh: Bool { !isTrusted || now - told <= Self.eventPatience }

    /// A time that the message names, on the store's clock; not after its arrival.
    func instant(_ wall: WallTime) -> Instant {
        guard let head else { return now }
        return min(isTrusted ? timebase.instant(wall) : now - (head.at - wall), now)
    }
}

/// States that came before the event which they name.
struct EarlyStates: Sendable {
    struct State: Sendable {
        /// Of the region.
        var number: Int
        var gateway: GatewayIndex
        var payload: StatePayload
        var arrival: Arrival
    }

    /// As they came. Each waits for 2 s at most, so there are few.
    private var waiting: [State] = []

    /// When the first of them has waited long enough.
    var due: Instant { waiting.first.map { $0.arrival.now + Arrival.eventPatience } ?? .distantFuture }

    mutating func wait(_ state: State) { waiting.append(state) }

    /// A newer state took its place.
    mutating func forget(_ number: Int, _ gateway: GatewayIndex) {
        waiting.removeAll { $0.number == number && $0.gateway == gateway }
    }

    /// The one whose event has come. What an event overtakes that came later is the past.
    mutating func take(named event: EventPayload, of number: Int, _ gateway: GatewayIndex) -> State? {
        let isOver = { (state: State) in
            state.number == number && state.gateway == gateway
                && (state.payload.epoch != event.epoch || state.payload.eventSeq <= event.seq)
        }
        defer { waiting.removeAll(where: isOver) }
        return waiting.last { isOver($0) && $0.payload.epoch == event.epoch && $0.payload.eventSeq == event.seq }
    }

    /// The first of them, which has waited long enough.
    mutating func takeFirst() -> State? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
