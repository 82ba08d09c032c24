@testable import Core

/// Finds the recorded events that are due, and the time of the next one.
struct Playback {
    enum Pace: Equatable {
        /// The capture's own times, `speed` times as fast. It ends with the capture.
        case recorded(speed: Double)
        /// This many events a second, repeating the capture; 0 as fast as possible.
        case rate(perSecond: Double)
    }

    /// The result of a step.
    struct Step: Equatable {
        /// Recorded events for the scanner, oldest first.
        var events: [[UInt8]] = []
        /// The time of the next call; `nil` where no more events will come.
        var next: Instant?
        /// Whether the capture's time is over, for the first time.
        var hasEnded = false
    }

    private enum State {
        case waiting
        /// `origin` is the time at which entry `from` of this pace was due, and `position` is the next entry.
        case playing(origin: Instant, position: Int, played: Int64)
        case ended
    }

    /// The most events in one step: the host's commands are answered between two steps.
    static let maxStep = 64

    private let capture: Capture
    private var pace: Pace
    private var state = State.waiting

    init(_ capture: Capture, pace: Pace) {
        self.capture = capture
        self.pace = pace
    }

    var isWaiting: Bool {
        if case .waiting = state { true } else { false }
    }

    /// Starts the capture's time, when the host scans for the first time.
    mutating func start(at now: Instant) {
        if isWaiting { state = .playing(origin: now, position: 0, played: 0) }
    }

    /// Continues at another rate from the present place; from the beginning where it had ended.
    mutating func change(to rate: Double, at now: Instant) {
        pace = .rate(perSecond: rate)
        switch state {
        case .waiting: break
        case .playing(_, let position, _): state = .playing(origin: now, position: position, played: 0)
        case .ended: state = .playing(origin: now, position: 0, played: 0)
        }
    }

    mutating func step(at now: Instant) -> Step {
        guard case .playing(let origin, var position, var played) = state else { return Step() }
        var step = Step()
        while step.events.count < Self.maxStep {
            guard let due = due(origin, position, played) else {
                state = .ended
                step.next = nil
                step.hasEnded = true
                return step
            }
            step.next = due
            guard due <= now else { break }
            guard let entry = entry(at: position) else {
                position += 1  // The capture's last record is over.
                continue
            }
            step.events.append(entry.event)
            position += 1
            played += 1
        }
        state = .playing(origin: origin, position: position, played: played)
        return step
    }

    private func entry(at position: Int) -> Capture.Entry? {
        if case .rate = pace {
            return capture.entries.isEmpty ? nil : capture.entries[position % capture.entries.count]
        }
        return position < capture.entries.count ? capture.entries[position] : nil
    }

    /// The time at which the entry at `position` is due; the capture's end counts as one more entry.
    private func due(_ origin: Instant, _ position: Int, _ played: Int64) -> Instant? {
        switch pace {
        case .rate(let perSecond):
            if capture.entries.isEmpty { return nil }
            return perSecond > 0 ? origin + .seconds(Double(played) / perSecond) : origin
        case .recorded(let speed):
            if position > capture.entries.count { return nil }
            let time = position < capture.entries.count ? capture.entries[position].time : capture.duration
            return origin + .seconds(time.seconds / speed)
        }
    }
}
