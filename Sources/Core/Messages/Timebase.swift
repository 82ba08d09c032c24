/// How monotonic time relates to the time of day, as of now.
///
/// Rules run on instants; times of day are made from them only when a message is written, with the clock as it is then.
/// A step of the clock therefore shifts all times of a message together and leaves every span between them right.
package struct Timebase: Hashable, Sendable {
    /// The time of day at the monotonic origin.
    var wallAtOrigin: WallTime
    /// Whether the system clock is disciplined by NTP or the like.
    package var isSynced: Bool

    package init(wallAtOrigin: WallTime, isSynced: Bool) {
        self.wallAtOrigin = wallAtOrigin
        self.isSynced = isSynced
    }

    /// The relation that holds when `now` on the monotonic clock is `wall`.
    package init(at now: Instant, wall: WallTime, isSynced: Bool) {
        self.wallAtOrigin = wall - (now - .origin)
        self.isSynced = isSynced
    }

    /// What the wall clock, as it is set now, says of an instant.
    package func wall(_ instant: Instant) -> WallTime { wallAtOrigin + (instant - .origin) }

    /// The way back; before the monotonic origin where the time is from before the boot.
    package func instant(_ wall: WallTime) -> Instant { .origin + (wall - wallAtOrigin) }
}
