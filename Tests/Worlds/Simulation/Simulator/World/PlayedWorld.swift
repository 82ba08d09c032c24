@testable import Core

/// A world that a seed plays: one thread, one agenda, and no clock but its own. It ends with the first violation.
protocol PlayedWorld: Surroundings {
    associatedtype Occurrence

    var now: Instant { get set }
    var agenda: Agenda<Occurrence> { get set }
    /// Counts what has happened, apart from the end.
    var steps: Int { get set }
    var violation: Violation? { get set }
    var isOver: Bool { get set }
    var isTraced: Bool { get }
    /// Counts of what happened, which prove that something did.
    var figures: KeyValuePairs<String, Int> { get }

    /// Plays everything to the end or to the first violation.
    func play()
    func step(_ occurrence: Occurrence)
    static func isEnd(_ occurrence: Occurrence) -> Bool
}

extension PlayedWorld {
    func fail(_ violation: Violation) {
        if self.violation == nil { self.violation = violation }
    }

    func check(_ body: () throws(Violation) -> Void) {
        do throws(Violation) {
            try body()
        } catch {
            fail(error)
        }
    }

    func trace(_ line: @autoclosure () -> String) {
        if isTraced { print(String(describing: steps), (now - .origin).seconds, line()) }
    }

    /// Passes time until `limit`, or until a condition holds or a check fails.
    func pass(until limit: Instant, or isEnough: () -> Bool) {
        while violation == nil, !isEnough(), agenda.nextTime <= limit, let next = agenda.next() {
            now = max(now, next.at)
            if Self.isEnd(next.occurrence) {
                // An agent that is being stopped passes time itself, and may reach the end meanwhile.
                isOver = true
                return
            }
            steps += 1
            step(next.occurrence)
        }
        if limit < .distantFuture, !isEnough() { now = max(now, limit) }
    }
}
