/// When the lines of a receiver's log came, as far as their own times tell.
///
/// A line's time is when it came. A receiver is wrong at times, though: one that says a wild time ahead would carry
/// everything else along to that time, and one that goes back would stop it. So a time ahead counts once the next lines go on from
/// it, and behind one that went back time goes on from where it was. Whether such a line is used is for `FixOrder` to say.
package struct LogClock<Line: Sendable>: Sendable {
    /// A line, and when it came.
    package typealias Dated = (line: Line, came: WallTime)

    /// Times that follow each other, and by how much they differ from when the lines came.
    private struct Order {
        var first: WallTime
        var last: WallTime
        var offset: TimeSpan
        /// From the line before the last one to the last.
        package var step = TimeSpan.zero

        /// Whether a time is the next of these. A receiver that speaks every minute is as steady as one that does every second.
        func follows(_ time: WallTime) -> Bool { time >= last && time - last <= max(FixOrder.trial, step * 2) }

        mutating func extend(to time: WallTime) {
            step = time - last
            last = time
        }
    }

    private var believed: Order?
    /// Lines in another order, which have come so far.
    private var doubted: Order?
    /// Lines that are ahead of what is believed, in one order and with their own times, until the next line decides.
    private var ahead: (order: Order, lines: [Dated])?
    private var now: WallTime?
    /// What came before the first line with a time: a receiver that is just turned on does not know the time.
    private var early: [Line] = []

    /// Lines that are held until the next one decides, at most.
    private static var maxHeld: Int { 1_000 }

    /// Lines that wait for the first one with a time.
    package var undatedCount: Int { early.count }

    package init() {}

    /// Takes the next line.
    ///
    /// - Parameter time: its own; `nil` where it has none: it came with the line before, or with the first that has one.
    /// - Returns: the lines of which it is known now when they came, in their order.
    package mutating func take(_ line: Line, time: WallTime?) -> [Dated] {
        guard var held = ahead else { return date(line, time) }
        guard let time, time >= held.order.last, held.lines.count < Self.maxHeld else {
            if time == nil, held.lines.count < Self.maxHeld {
                held.lines.append((line, held.order.last))
                ahead = held
                return []
            }
            // The next line does not go on from there: they were wild.
            ahead = nil
            return held.lines.map { ($0.line, now ?? $0.came) } + date(line, time)
        }
        if time - held.order.first >= FixOrder.trial { return release() + date(line, time) }
        held.order.extend(to: time)
        held.lines.append((line, time))
        ahead = held
        return []
    }

    /// There are no more lines.
    package mutating func finish() -> [Dated] { release() }

    /// What is ahead is believed.
    private mutating func release() -> [Dated] {
        guard let held = ahead else { return [] }
        ahead = nil
        believed = held.order
        doubted = nil
        return held.lines.map { ($0.line, move(to: $0.came + held.order.offset)) }
    }

    /// Time never goes back.
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
            // A gap or a wild time, and none of the lines that went back: those are behind.
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
