/// The clock of a receiver, as the arrivals of its messages show it.
///
/// A message that comes late looks like a clock that is behind. So the messages that came soonest set the clock.
struct ReceiverClock: Sendable {
    /// The greatest difference between two clocks that agree.
    static let tolerance = TimeSpan.seconds(1)
    /// The messages by which the clocks are compared.
    static let mostDelays = 15
    /// Packets further in the future than this belong to a clock that was set forward, or are wrong.
    static let mostAhead = TimeSpan.seconds(3)

    /// The time from the newest packet of the latest messages to their arrival, each by its own clock.
    private var delays: [TimeSpan] = []
    private var ahead = SustainedRun()

    /// Returns the receiver's time at an arrival; `nil` before its first message with times.
    func time(at arrival: Instant) -> WallTime? {
        delays.min().map { WallTime(microseconds: arrival.microseconds.subtractingSaturating($0.microseconds)) }
    }

    /// Takes the times of a message whose packets count.
    ///
    /// - Parameters:
    ///   - wall: this machine's time of day at `arrival`; `nil` while its clock is not set.
    ///   - silence: the silence after which the receiver has stalled.
    /// - Returns: the receiver's time at the arrival: that of this machine where both clocks agree.
    mutating func take(
        _ times: [WallTime], at arrival: Instant, wall: WallTime?, silence: TimeSpan
    ) -> WallTime? {
        guard let newest = times.max(), let oldest = times.min() else { return nil }
        let limit = time(at: arrival).map { $0 + Self.mostAhead }
        if let limit, oldest > limit {
            // One such message changes nothing: a wrong one would make all others late.
            if ahead.goesOn(at: arrival, silence: silence) { delays = [Self.delay(of: newest, at: arrival)] }
        } else {
            ahead.end()
            let likely = limit.map { limit in times.filter { $0 <= limit }.max() ?? newest } ?? newest
            delays.append(Self.delay(of: likely, at: arrival))
            if delays.count > Self.mostDelays { delays.removeFirst() }
        }
        guard let clock = time(at: arrival) else { return nil }
        guard let wall, max(wall - clock, clock - wall) <= Self.tolerance else { return clock }
        return wall
    }

    /// Resets the clock, which was set back: the next message sets it.
    mutating func reset() { self = ReceiverClock() }

    private static func delay(of time: WallTime, at arrival: Instant) -> TimeSpan {
        TimeSpan(microseconds: arrival.microseconds.subtractingSaturating(time.microseconds))
    }
}

/// Messages that are believed only once several of them have come in a row, for some time.
struct SustainedRun: Sendable {
    static let leastMessages = 3
    static let leastTime = TimeSpan.seconds(2)
    private(set) var latest: Instant?
    private var began: Instant?
    private var count = 0

    /// Takes one more message. Returns whether the run is believed.
    ///
    /// - Parameter silence: the silence that ends a run.
    mutating func goesOn(at now: Instant, silence: TimeSpan) -> Bool {
        if let latest, now - latest > silence { end() }
        count = min(count + 1, Self.leastMessages)
        latest = now
        let start = began ?? now
        began = start
        return count >= Self.leastMessages && now - start >= Self.leastTime
    }

    mutating func end() { self = SustainedRun() }
}
