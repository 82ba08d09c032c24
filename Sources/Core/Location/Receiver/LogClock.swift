/// Dates the lines of a recorded log of receivers by the lines' own times.
///
/// A line's time is the time at which it came. But a receiver may be wrong. A wrong time ahead would move all later
/// lines to it, and a time that goes back would stop the clock. So a time far ahead counts only once a later line
/// confirms it, or the log ends. After a time that went back, the clock goes on from where it was. The first time
/// counts at once. `FixOrder` decides whether such a line is used.
package struct LogClock<Line: Sendable>: Sendable {
    package typealias Dated = (line: Line, came: WallTime)

    /// Times that follow each other, and their offset from the times at which the lines came.
    private struct Run {
        let first: WallTime
        var last: WallTime
        var offset: TimeSpan
        /// The last step between two times, at most a minute. A pause of hours makes no later step of hours usual.
        var step = TimeSpan.zero

        /// Returns whether a time is the next of these. A receiver that reports every minute is as steady as one that
        /// reports every second.
        func follows(_ time: WallTime) -> Bool { time >= last && time - last <= max(FixOrder.trial, step * 2) }

        mutating func extend(to time: WallTime) {
            if time > last { step = min(time - last, .seconds(60)) }
            last = time
        }
    }

    private var believed: Run?
    /// A run that began with a time that went back.
    private var doubted: Run?
    /// A run that began far ahead of the believed one, and its lines with their own times. Each line is held until one of
    /// a `FixOrder.trial` later confirms them, or an earlier one does not.
    private var ahead: (run: Run, lines: [(line: Line, time: WallTime)])?
    /// When the last line came that was returned.
    private var now: WallTime?
    /// Lines before the first one with a time: a receiver that was just turned on does not know the time.
    private var early: [Line] = []
    /// The number of lines that wait for the first one with a time, or came when too many waited.
    package private(set) var undatedCount = 0

    /// The most lines held. More early lines are dropped, and more lines ahead are taken for wrong ones.
    private static var maxHeld: Int { 1_000 }

    package init() {}

    /// - Parameter time: the line's own time; `nil` where it has none: it came with the line before, or with the first
    ///   that has one.
    /// - Returns: the lines that are dated now, in their order.
    package mutating func take(_ line: Line, time: WallTime?) -> [Dated] {
        guard var held = ahead else { return date(line, time) }
        let own = time ?? held.run.last
        guard own >= held.run.last, held.lines.count < Self.maxHeld else {
            ahead = nil
            return held.lines.map { ($0.line, now ?? $0.time) } + date(line, time)
        }
        if own - held.run.first >= FixOrder.trial { return finish() + date(line, time) }
        held.run.extend(to: own)
        held.lines.append((line, own))
        ahead = held
        return []
    }

    /// Believes the lines that are held: a later one confirms them, or the log ends.
    package mutating func finish() -> [Dated] {
        guard var held = ahead else { return [] }
        ahead = nil
        // The offset came from a clock that was wrong by more than an hour. It would date later lines ahead.
        if let now, held.run.first + held.run.offset > now + .recordingStep {
            held.run.offset = max(.zero, now - held.run.first)
        }
        believed = held.run
        doubted = nil
        return held.lines.map { ($0.line, move(to: $0.time + held.run.offset)) }
    }

    /// Moves the clock, which never goes back.
    private mutating func move(to time: WallTime) -> WallTime {
        let came = max(now ?? time, time)
        now = came
        return came
    }

    private mutating func date(_ line: Line, _ time: WallTime?) -> [Dated] {
        guard let time else {
            if let now { return [(line, now)] }
            undatedCount += 1
            if early.count < Self.maxHeld { early.append(line) }
            return []
        }
        guard var run = believed, let now else {
            believed = Run(first: time, last: time, offset: .zero)
            now = time
            defer { (early, undatedCount) = ([], undatedCount - early.count) }
            return (early + [line]).map { ($0, time) }
        }
        if run.follows(time) {
            run.extend(to: time)
            (believed, doubted) = (run, nil)
        } else if time > run.last {
            var next = Run(first: time, last: run.last, offset: run.offset)
            next.extend(to: time)
            ahead = (next, [(line, time)])
            return []
        } else if var other = doubted, time >= other.last {
            // Any step ahead counts: at the worst a line is dated late, and no line is held.
            other.extend(to: time)
            doubted = other
            if other.last - other.first >= FixOrder.trial { (believed, doubted) = (other, nil) }
            run = other
        } else {
            run = Run(first: time, last: time, offset: now - time)
            doubted = run
        }
        return [(line, move(to: time + run.offset))]
    }
}
