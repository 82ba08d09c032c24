/// Fixes that are published together, oldest first.
package struct TrackBatch: Hashable, Sendable {
    /// The reason for publishing the batch. The raw value is the word in `location/track`.
    package enum Finish: String, CaseIterable, Sendable {
        /// The gateway has travelled `defer_distance_m`.
        case distance
        /// `defer_timeout_s` has passed, or the batch is full.
        case timeout
        /// The agent ended, was reloaded, or paused.
        case stopped
    }

    let fixes: [Fix]
    let finished: Finish

    package init(fixes: [Fix], finished: Finish) {
        self.fixes = fixes
        self.finished = finished
    }
}

/// A deferred fix, which has to outlive the process until its batch is published.
package struct KeptFix: Hashable, Sendable {
    package var fix: Fix
    /// The place within the batch, from 0.
    package var number: Int
}

/// Deferred updates: every used fix is kept, and all are published together.
struct DeferredTrack: Sendable {
    /// The most fixes in a batch: an hour of one a second. A full batch is published at once.
    static let maxFixes = 3_600

    private enum State {
        case empty
        case keeping(since: Instant)
    }

    private let distance_m: Double
    private let timeout: TimeSpan
    private var state = State.empty
    private var fixes: [Fix] = []
    private var way = Way()
    /// True if the gateway pauses; then no batch is published.
    private var isPaused = false

    /// - Parameters:
    /// - distance_m: the distance travelled before a batch is published; 0 sets no limit. Metres.
    /// - timeout: the longest wait of a batch's first fix; `zero` sets no limit.
    init(distance_m: Double, timeout: TimeSpan) {
        self.distance_m = distance_m
        self.timeout = timeout
    }

    /// The number of fixes held.
    var count: Int { fixes.count }

    var deadline: Instant {
        guard timeout > .zero, !isPaused, case .keeping(let since) = state else { return .distantFuture }
        return since + timeout
    }

    /// Keeps a used fix.
    ///
    /// - Returns: the batch that it completes.
    mutating func keep(_ fix: Fix, at now: Instant) -> TrackBatch? {
        if case .empty = state { state = .keeping(since: now) }
        fixes.append(fix)
        way.go(to: fix)
        if distance_m > 0, !isPaused, way.length_m >= distance_m { return finish(.distance) }
        return fixes.count >= Self.maxFixes ? finish(.timeout) : nil
    }

    mutating func advance(to now: Instant) -> TrackBatch? { now >= deadline ? finish(.timeout) : nil }

    /// Pauses: the fixes held are published now. Fixes during the pause are published after `resume`.
    mutating func pause() -> TrackBatch? {
        isPaused = true
        return stop()
    }

    mutating func resume() { isPaused = false }

    /// Publishes the fixes held.
    ///
    /// - Returns: `nil` where there are none: there are no empty batches.
    mutating func stop() -> TrackBatch? { finish(.stopped) }

    private mutating func finish(_ finish: TrackBatch.Finish) -> TrackBatch? {
        guard !fixes.isEmpty else { return nil }
        defer {
            fixes = []
            state = .empty
            way.startAnew()
        }
        return TrackBatch(fixes: fixes, finished: finish)
    }
}

/// The length of the way along the fixes.
///
/// A stationary receiver wanders within its accuracy, and the sum of its steps would be a journey. So a step counts only
/// when it is longer than the accuracy explains. The last, unfinished step counts with its length.
private struct Way {
    /// The sum of the finished steps. Metres.
    private var finished_m = 0.0
    /// The start of the unfinished step.
    private var corner: Fix?
    private var last: Fix?

    var length_m: Double {
        guard let corner, let last else { return finished_m }
        return finished_m + corner.coordinate.nearDistance_m(to: last.coordinate)
    }

    mutating func go(to fix: Fix) {
        last = fix
        guard let from = corner else {
            corner = fix
            return
        }
        let step_m = from.coordinate.nearDistance_m(to: fix.coordinate)
        guard step_m > max(from.horizontalAccuracy_m, fix.horizontalAccuracy_m) else { return }
        finished_m += step_m
        corner = fix
    }

    /// Starts the next way where this one ended, so that the distance between two batches counts too.
    mutating func startAnew() {
        finished_m = 0
        corner = last
    }
}
