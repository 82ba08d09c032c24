import Core

/// When a packet arrived, on the monotonic clock.
///
/// The kernel stamps packets with the time of day, which may be stepped at any moment. So only the packet's age is taken
/// from it, and held within what must be true: it arrived after the packet before it, after the queue was last found
/// empty, and not in the future.
struct ReceiveTime: Hashable, Sendable {
    private var earliest: Instant

    /// - Parameter instant: when the socket was opened.
    init(at instant: Instant) {
        earliest = instant
    }

    /// - Parameters:
    ///   - stamp: the kernel's stamp; `nil` where there is none.
    ///   - wall: the time of day now, read together with `now`.
    mutating func arrival(stamp: WallTime?, wall: WallTime, now: Instant) -> Instant {
        let age = stamp.map { wall - $0 } ?? .zero
        let arrival = max(earliest, min(now, now - age))
        earliest = arrival
        return arrival
    }

    /// Nothing is waiting any more: whatever comes arrived later than this.
    mutating func foundEmpty(at instant: Instant) {
        earliest = max(earliest, instant)
    }
}
