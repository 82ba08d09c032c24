import Testing

@testable import Core

@Suite("Timers come in the order of time")
struct TimerQueueTests {
    private func at(_ seconds: Int) -> Instant { .origin + .seconds(seconds) }

    private func drained(_ queue: TimerQueue<String>) -> [String] {
        var queue = queue
        var subjects: [String] = []
        while let timer = queue.removeFirst() { subjects.append(timer.subject) }
        return subjects
    }

    @Test("The first timer is due first; at one instant, it is the one set first")
    func order() {
        var queue = TimerQueue<String>()
        #expect(queue.nextDue == .distantFuture && queue.first == nil)
        for subject in ["b", "c", "d", "e"] { queue.set(subject, at: at(2)) }
        queue.set("a", at: at(1))
        #expect(queue.nextDue == at(1))
        #expect(drained(queue) == ["a", "b", "c", "d", "e"])
    }

    @Test("A timer that is moved comes behind those due at that instant already")
    func moves() {
        var queue = TimerQueue<String>()
        for subject in ["a", "b", "c"] { queue.set(subject, at: at(1)) }
        queue.moveFirst(to: at(1))
        #expect(drained(queue) == ["b", "c", "a"])
    }

    @Test("An empty queue has no timer to move")
    func movesNothing() {
        var queue = TimerQueue<String>()
        queue.moveFirst(to: at(1))
        #expect(queue.count == 0 && queue.removeFirst() == nil)
    }

    @Test("Stale timers are removed when they are most of the queue, and no others")
    func throwsOut() {
        var queue = TimerQueue<Int>()
        var most = 0
        for round in 1...1_000 {
            for subject in 0..<10 {
                queue.set(subject, at: at(round))
                queue.throwOutStale(of: 10) { $0.due == at(round) || ($0.due == at(round - 1) && $0.subject > subject) }
                most = max(most, queue.count)
            }
        }
        #expect(most == 2 * (10 + 64))
        var last: [Int] = []
        while let timer = queue.removeFirst() {
            if timer.due == at(1_000) { last.append(timer.subject) }
        }
        #expect(last == Array(0..<10))
    }

    @Test("When the numbers are used up the order stays")
    func renumbers() {
        var queue = TimerQueue<String>(lastNumber: .max - 2)
        for subject in ["a", "b", "c", "d"] { queue.set(subject, at: at(1)) }
        queue.moveFirst(to: at(1))
        #expect(drained(queue) == ["b", "c", "d", "a"])
    }
}
