import Core

/// How often the sockets are read.
///
/// A wake-up costs many times what it takes to read and to follow a report, so on a busy radio reports are left waiting for
/// a moment and read together. On a quiet one each is read as it comes. No time is lost on a report that waits: the kernel
/// has stamped it.
struct ReadingPace: Hashable, Sendable {
    /// The most that a report waits. A subscriber notices nothing of it, and it makes 50 wake-ups a second of any number.
    static var rest: TimeSpan { .milliseconds(20) }
    /// Packets are counted over this span, and as many make the radio a busy one: 100 a second.
    static var window: TimeSpan { .milliseconds(100) }
    static var busyPackets: UInt64 { 10 }

    /// Sockets that have nothing but packets to tell are left alone until then.
    private(set) var restsUntil: Instant = .origin
    private var windowBegan: Instant = .origin
    private var packetsInWindow: UInt64 = 0
    private var isBusy = false

    /// The sockets were read, and nothing is left in them.
    ///
    /// - Parameter packets: how many were there.
    mutating func read(packets: UInt64, at instant: Instant) {
        let elapsed = instant - windowBegan
        if elapsed >= Self.window {
            // A window that went on for longer, because nothing came, was a quiet one.
            isBusy = packetsInWindow >= Self.busyPackets && elapsed < Self.window + Self.window
            (windowBegan, packetsInWindow) = (instant, 0)
        }
        packetsInWindow &+= packets
        if isBusy && packets > 0 { restsUntil = instant + Self.rest }
    }
}
