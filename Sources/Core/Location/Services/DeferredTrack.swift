/// Fixes that are told together, oldest first.
package struct TrackBatch: Hashable, Sendable {
    /// Why it was told. The raw value is the word in `location/track`.
    package enum Finish: String, CaseIterable, Sendable {
        /// `defer_distance_m` is travelled.
        case distance
        /// `defer_timeout_s` has passed, or as many fixes are held as may be.
        case timeout
        /// The agent's end, a reload or a pause.
        case stopped
    }

    let fixes: [Fix]
    let finished: Finish

    package init(fixes: [Fix], finished: Finish) {
        self.fixes = fixes
        self.finished = finished
    }
}

/// Deferred updates: every used fix is kept, and all are told together.
struct DeferredTrack: Sendable {
    /// As many fixes as are held at most: an hour of one a second. The batch is told as they are full.
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
    /// While the gateway pauses nothing is told.
    private var isPaused = false

    /// - Parameters:
    ///   - distance_m: how far it travels before a batch is told; 0 sets no limit. Metres.
    ///   - timeout: how long the first fix of a batch waits at most; `zero` sets no limit.
    init(distance_m: Double, timeout: TimeSpan) {
        self.distance_m = distance_m
        self.timeout = timeout
    }

    /// How many fixes are held.
    package var count: Int { fixes.count }

    /// When `advance` has something to tell.
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

    /// Time went on.
    mutating func advance(to now: Instant) -> TrackBatch? {
        now >= deadline ? finish(.timeout) : nil
    }

    /// The gateway pauses: what is held is told now. What comes meanwhile is told after `resume`.
    mutating func pause() -> TrackBatch? {
        isPaused = true
        return stop()
    }

    /// The gateway goes on.
    mutating func resume() { isPaused = false }

    /// What is held is told now.
    ///
    /// - Returns: `nil` where nothing is held: there are no empty batches.
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

/// The length of the way that fixes tell.
///
/// A receiver that stands wanders about by its accuracy; the sum of its steps would be a journey. So a step becomes part
/// of the way only when it is longer than the accuracy explains, and the last, unfinished one counts for what it is.
private struct Way {
    /// What finished steps come to. Metres.
    private var finished_m = 0.0
    /// Where the unfinished step began.
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

    /// The next way begins where this one ended, so that what lies between two batches is travelled too.
    mutating func startAnew() {
        finished_m = 0
        corner = last
    }
}
