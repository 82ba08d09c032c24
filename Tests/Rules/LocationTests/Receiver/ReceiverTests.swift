import Testing

@testable import Core

@Suite("The availability of a place")
struct AvailabilityTests {
    private var watch = AvailabilityWatch(maxAge: .seconds(15))

    @Test("The words are those of status.location")
    func words() {
        let words = ["off", "absent", "no_device", "searching", "located"]
        #expect(LocationAvailability.allCases.map(\.rawValue) == words)
    }

    @Test("From nothing to a fix: absent, no_device, searching, located")
    mutating func toTheFix() {
        #expect(watch.availability == .absent)
        watch.found(devices: 0, isListening: true, at: at(1))
        #expect(watch.availability == .noDevice)
        watch.found(devices: 1, isListening: true, at: at(2))
        #expect(watch.availability == .searching)
        watch.use(at: at(3))
        #expect(watch.availability == .located)
    }

    @Test("Without a fix for longer than max_age_s, it searches again")
    mutating func silence() {
        watch.use(at: at(0))
        watch.use(at: at(10))
        #expect(watch.deadline == at(25))
        watch.advance(to: at(24.9))
        #expect(watch.availability == .located)
        watch.advance(to: at(25))
        #expect(watch.availability == .searching)
    }

    @Test("A receiver that rests stays located, and has its full time again when it is turned on")
    mutating func resting() {
        watch.use(at: at(0))
        watch.listen(false, at: at(1))
        watch.advance(to: at(600))
        #expect(watch.availability == .located)
        watch.listen(true, at: at(600))
        watch.advance(to: at(614))
        #expect(watch.availability == .located)
        watch.advance(to: at(615))
        #expect(watch.availability == .searching)
    }

    @Test("An unplugged receiver and the end of gpsd are reported at once")
    mutating func lost() {
        watch.use(at: at(0))
        watch.found(devices: 0, isListening: true, at: at(1))
        #expect(watch.availability == .noDevice)
        watch.use(at: at(2))
        watch.lostConnection()
        #expect(watch.availability == .absent)
    }

    @Test("Repeated news of the receivers ends no fix")
    mutating func toldAgain() {
        watch.use(at: at(0))
        watch.found(devices: 2, isListening: true, at: at(1))
        #expect(watch.availability == .located)
        #expect(watch.deadline == at(15))
    }
}

@Suite("The time for which the receiver was on")
struct ReceiverUseTests {
    @Test("The time is the sum of the times between on and off, the present one included")
    func sum() {
        var use = ReceiverUse()
        #expect(use.total(at: at(5)) == .zero)
        use.turn(on: true, at: at(10))
        use.turn(on: true, at: at(12))
        #expect(use.total(at: at(15)) == .seconds(5))
        use.turn(on: false, at: at(20))
        use.turn(on: false, at: at(25))
        use.turn(on: true, at: at(30))
        #expect(use.total(at: at(31)) == .seconds(11))
    }
}
