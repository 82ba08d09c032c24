import Testing

@testable import Agent
@testable import Core

@Suite("The arrival time of a packet")
struct ReceiveTimeTests {
    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }
    private func wall(_ seconds: Double) -> WallTime { .unixEpoch + .seconds(1_700_000_000 + seconds) }

    @Test("The kernel's timestamp gives the packet's age, and the monotonic clock the time")
    func age() {
        var time = ReceiveTime(at: at(0))
        #expect(time.arrival(stamp: wall(99.75), wall: wall(100), now: at(10)) == at(9.75))
    }

    @Test("Without a timestamp, a packet arrived when it was read")
    func noStamp() {
        var time = ReceiveTime(at: at(0))
        #expect(time.arrival(stamp: nil, wall: wall(100), now: at(10)) == at(10))
    }

    @Test("A clock stepped forwards does not make packets older than the last empty queue")
    func steppedForwards() {
        var time = ReceiveTime(at: at(0))
        time.foundEmpty(at: at(9.9))
        #expect(time.arrival(stamp: wall(100), wall: wall(4_000), now: at(10)) == at(9.9))
    }

    @Test("A clock stepped backwards does not put packets into the future")
    func steppedBackwards() {
        var time = ReceiveTime(at: at(0))
        #expect(time.arrival(stamp: wall(4_000), wall: wall(100), now: at(10)) == at(10))
    }

    @Test("Packets arrive in the order in which they are read")
    func order() {
        var time = ReceiveTime(at: at(0))
        #expect(time.arrival(stamp: wall(99.9), wall: wall(100), now: at(10)) == at(9.9))
        #expect(time.arrival(stamp: wall(99.5), wall: wall(100), now: at(10)) == at(9.9))
    }
}
