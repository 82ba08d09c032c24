import Testing

@testable import Core
@testable import beacond

@Suite("The watchdog is fed only while both loops make progress")
struct WatchdogTests {
    private static func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }
    private static let patience = TimeSpan.seconds(120)

    private static func beats(radio: UInt64, delivery: UInt64, atDisk: Bool = false) -> Pulse.Reading {
        Pulse.Reading(radio: radio, delivery: delivery, isDeliveryAtDisk: atDisk)
    }

    private var watchdog = Watchdog(patience: patience, Pulse.Reading(), at: .origin)

    @Test("If both loops have moved since the last check, the agent is alive")
    mutating func bothMove() {
        #expect(watchdog.look(Self.beats(radio: 15, delivery: 15), at: Self.at(15)) == .alive)
        #expect(watchdog.look(Self.beats(radio: 16, delivery: 40), at: Self.at(30)) == .alive)
    }

    @Test("A loop that stands still starves the watchdog, however much the other moves, and is logged once")
    mutating func oneStands() {
        #expect(watchdog.look(Self.beats(radio: 0, delivery: 15), at: Self.at(15)) == .wait)
        let radio = watchdog.look(Self.beats(radio: 0, delivery: 60), at: Self.at(60))
        #expect(radio == .stuck(loop: "radio", .seconds(60)))
        #expect(watchdog.look(Self.beats(radio: 0, delivery: 75), at: Self.at(75)) == .wait)

        var other = Watchdog(patience: Self.patience, Pulse.Reading(), at: .origin)
        let delivery = other.look(Self.beats(radio: 60, delivery: 0), at: Self.at(60))
        #expect(delivery == .stuck(loop: "delivery", .seconds(60)))
    }

    @Test("A loop that goes on is alive, and its next standstill is logged again")
    mutating func recovers() {
        _ = watchdog.look(Self.beats(radio: 0, delivery: 60), at: Self.at(60))
        #expect(watchdog.look(Self.beats(radio: 1, delivery: 75), at: Self.at(75)) == .alive)
        let again = watchdog.look(Self.beats(radio: 1, delivery: 135), at: Self.at(135))
        #expect(again == .stuck(loop: "radio", .seconds(60)))
    }

    @Test("A delivery loop that waits for a disk is alive: killing it would lose the queue and mend no disk")
    mutating func hungDisk() {
        for step in 1...100 {
            let now = Self.at(15 * Double(step))
            #expect(watchdog.look(Self.beats(radio: UInt64(step), delivery: 0, atDisk: true), at: now) == .alive)
        }
    }

    @Test("A radio loop that stands still is not excused by a disk")
    mutating func radioIsNotExcused() {
        #expect(watchdog.look(Self.beats(radio: 0, delivery: 0, atDisk: true), at: Self.at(15)) == .wait)
    }

    @Test("A thread's state follows its name, whatever characters the name has")
    func stateInStat() {
        #expect(Pulse.state(inStat: "17 (beacond) D 1 17 17 0") == "D")
        #expect(Pulse.state(inStat: "17 (a) R (b) S 1 17") == "S")
        #expect(Pulse.state(inStat: "17 (beacond)") == nil)
        #expect(Pulse.state(inStat: "") == nil)
    }

    @Test("A loop's beats are counted, and a running thread waits for no disk")
    func pulse() {
        let pulse = Pulse()
        pulse.beginDelivery()
        pulse.beatRadio()
        pulse.beatDelivery()
        pulse.beatDelivery()
        #expect(pulse.read() == Pulse.Reading(radio: 1, delivery: 2, isDeliveryAtDisk: false))
    }
}
