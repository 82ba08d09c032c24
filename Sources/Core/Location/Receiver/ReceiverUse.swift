/// How long the receiver was on: `receiver_on_s` in `health`.
struct ReceiverUse: Hashable, Sendable {
    private enum State: Hashable {
        case off
        case on(since: Instant)
    }

    private var state = State.off
    private var finished = TimeSpan.zero

    init() {}

    var isOn: Bool { state != .off }

    /// The receiver was turned on or off; said again, it changes nothing.
    mutating func turn(on: Bool, at now: Instant) {
        guard on != isOn else { return }
        finished = total(at: now)
        state = on ? .on(since: now) : .off
    }

    /// How long it was on since the start, the present time included.
    func total(at now: Instant) -> TimeSpan {
        guard case .on(let since) = state else { return finished }
        return finished + max(now - since, .zero)
    }
}
