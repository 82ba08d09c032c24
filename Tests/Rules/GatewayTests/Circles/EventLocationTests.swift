import TestAir
import Testing

@testable import Core

@Suite("Events tell where they happened")
struct EventLocationTests {
    @Test("A circle's event has the fix that decided it")
    func circle() throws {
        var drive = Drive([Drive.depot()])
        drive.stay(0...20, north_m: 300)
        drive.stay(30...50, north_m: 0, accuracy_m: 7)
        let location = try #require(drive.transitions.last?.event?.location)
        #expect(location == EventLocation(coordinate: Drive.gate, horizontalAccuracy_m: 7, age: .zero))
    }

    @Test("A beacon's event has the last used fix and its age, while that is younger than an hour")
    func beacon() throws {
        for (age_s, isKnown) in [(100.0, true), (3_599, true), (3_600, false)] {
            var drive = Drive([]) { $0.regions.beacons = GatewaySettings.door().regions.beacons }
            drive.fix(1, at: Drive.gate)
            drive.hear(.beacon(), at: 1 + age_s)
            #expect(drive.events == ["enter door \(Story.tenths(1 + age_s))"])
            #expect(drive.transitions.last?.event?.location?.age == (isKnown ? .seconds(age_s) : nil))
        }
    }

    @Test("Without a fix an event has no place")
    func none() {
        var drive = Drive([]) { $0.regions.beacons = GatewaySettings.door().regions.beacons }
        drive.hear(.beacon(), at: 5)
        #expect(drive.events == ["enter door 5.0"] && drive.transitions.last?.event?.location == nil)
    }
}
