/// Dates the lines of a receiver's log by their own times.
///
/// A line's time is the time at which it came. But a receiver is sometimes wrong. A wild time ahead would move all
/// later lines to that time, and a time that goes back would stop the clock. So a time ahead counts only once the next
/// lines continue from it. After a time that went back, the clock goes on from where it was. `FixOrder` decides whether
/// such a line is used.
package struct LogClock<Line: Sendable>: Sendable {
    package typealias Dated = (line: Line, came: WallTime)

    /// Times that follow each other, and their offset from the times at which the lines came.
    private struct Order {
        var first: WallTime
        var last: WallTime
        var offset: TimeSpan
        /// The time from the second-last line to the last.
        package var step = TimeSpan.zero

        /// Returns whether a time is the next of these. A receiver that speaks every minute is as steady as one that
        /// speaks every second.
        func follows(_ time: WallTime) -> Bool { time >= last && time - last <= max(FixOrder.trial, step * 2) }

        mutating func extend(to time: WallTime) {
            step = time - last
            last = time
        }
    }

    private var believed: Order?
    /// The lines in another order so far.
    private var doubted: Order?
    /// Lines ahead of the believed ones, in one order and with their own times, until the next line decides.
    private var ahead: (order: Order, lines: [Dated])?
    private var now: WallTime?
    /// Lines before the first one with a time: a receiver that was just turned on does not know the time.
    private var early: [Line] = []

    /// The most lines held until the next one decides.
    private static var maxHeld: Int { 1_000 }

    /// The number of lines that wait for the first one with a time.
    package var undatedCount: Int { early.count }

    package init() {}

    /// Takes the next line.
    ///
    /// - Parameter time: its own time; `nil` where it has none: it came with the line before, or with the first that
    ///   has one.
    /// - Returns: the lines that are dated now, in their order.
    package mutating func take(_ line: Line, time: WallTime?) -> [Dated] {
        guard var held = ahead else { return date(line, time) }
        guard let time, time >= held.order.last, held.lines.count < Self.maxHeld else {
            if time == nil, held.lines.count < Self.maxHeld {
                held.lines.append((line, held.order.last))
                ahead = held
                return []
            }
            // The next line does not continue from there: the held lines were wild.
            ahead = nil
            return held.lines.map { ($0.line, now ?? $0.came) } + date(line, time)
        }
        if time - held.order.first >= FixOrder.trial { return release() + date(line, time) }
        held.order.extend(to: time)
        held.lines.append((line, time))
        ahead = held
        return []
    }

    /// Ends the log.
    package mutating func finish() -> [Dated] { release() }

    /// Believes the lines that are held.
    private mutating func release() -> [Dated] {
        guard var held = ahead else { return [] }
        ahead = nil
        // An order that was wrong by years ends: its offset would date later lines years ahead.
        if let now, held.order.first + held.order.offset > now + .recordingStep {
            held.order.offset = max(.zero, now - held.order.first)
        }
        believed = held.order
        doubted = nil
        return held.lines.map { ($0.line, move(to: $0.came + held.order.offset)) }
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
            if early.count < Self.maxHeld { early.append(line) }
            return []
        }
        guard var order = believed, let now else {
            believed = Order(first: time, last: time, offset: .zero)
            defer { early = [] }
            return (early + [line]).map { ($0, move(to: time)) }
        }
        if order.follows(time) {
            order.extend(to: time)
            (believed, doubted) = (order, nil)
        } else if time > order.last {
            // A gap or a wild time. Lines that went back do not come here; they are behind.
            ahead = (Order(first: time, last: time, offset: order.offset, step: time - order.last), [(line, time)])
            return []
        } else if var other = doubted, time >= other.last {
            // However far apart its lines are, they are in one order.
            other.extend(to: time)
            let isBelieved = other.last - other.first >= FixOrder.trial
            if isBelieved { (believed, doubted) = (other, nil) } else { doubted = other }
            order = other
        } else {
            order = Order(first: time, last: time, offset: now - time)
            doubted = order
        }
        return [(line, move(to: time + order.offset))]
    }
}
