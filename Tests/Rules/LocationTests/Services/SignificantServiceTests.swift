import TestAir
import Testing

@testable import Core

@Suite("The significant-change service")
struct SignificantServiceTests {
    private var service = SignificantService(at: at(0))

    /// The results of a ride of some hours with a receiver that has a fix 5 s after it was turned on.
    private struct Ride {
        var updates: [(at: Double, north_m: Double)] = []
        var looks: [Double] = []
        var use = ReceiverUse()
    }

    private mutating func ride(seconds: Int, reception: Bool = true, north_m: (Double) -> Double) throws -> Ride {
        var ride = Ride()
        for second in 0..<seconds {
            let now = Double(second)
            service.advance(to: at(now))
            if service.receiverIsNeeded, !ride.use.isOn { ride.looks.append(now) }
            ride.use.turn(on: service.receiverIsNeeded, at: at(now))
            guard reception, let began = ride.looks.last, service.receiverIsNeeded, now >= began + 5 else { continue }
            if service.use(try fix(now, north_m: north_m(now)), at: at(now)) != nil {
                ride.updates.append((now, north_m(now)))
            }
            ride.use.turn(on: service.receiverIsNeeded, at: at(now))
        }
        return ride
    }

    @Test("The service looks at once; a look ends with the first fix, the first update, and then the receiver rests")
    mutating func firstLook() throws {
        #expect(service.receiverIsNeeded)
        #expect(service.use(try fix(8), at: at(8)) != nil)
        #expect(!service.receiverIsNeeded)
        #expect(service.deadline == at(8 + 570))
    }

    @Test("A look without a fix ends after 30 s, and the rest after a further one doubles up to the longest")
    mutating func noReception() throws {
        let ride = try ride(seconds: 3_600, reception: false) { _ in 0 }
        #expect(ride.looks == [0, 90, 240, 510, 1_020, 1_620, 2_220, 2_820, 3_420])
    }

    @Test("A movement of 500 m is an update, a smaller one is none")
    mutating func distance() throws {
        _ = service.use(try fix(0), at: at(0))
        service.advance(to: at(570))
        #expect(service.use(try fix(570, north_m: 495), at: at(570)) == nil)
        service.advance(to: service.deadline)
        #expect(service.use(try fix(1_000, north_m: 505), at: at(1_000)) != nil)
    }

    @Test("Updates are at least five minutes apart, at any speed")
    mutating func fast() throws {
        let ride = try ride(seconds: 7_200) { $0 * 30 }
        let gaps = zip(ride.updates.dropFirst(), ride.updates).map { $0.at - $1.at }
        #expect(gaps.count >= 20)
        #expect(gaps.holdForAll { $0 >= 300 })
    }

    @Test("Looks are closer together the faster it moved")
    mutating func closer() throws {
        let rests = try [0.0, 1.0, 1.3, 2.5].map { speed_m_s in
            var service = SignificantService(at: at(0))
            _ = service.use(try fix(0, speed_m_s: speed_m_s), at: at(0))
            return (service.deadline - at(0)).seconds
        }
        #expect(rests == [570, 500, TimeSpan.seconds(500 / 1.3).seconds, 300])
    }

    @Test("The speed of a van at a red light is that of its way since the last look")
    mutating func redLight() throws {
        _ = service.use(try fix(0), at: at(0))
        service.advance(to: at(570))
        #expect(service.use(try fix(570, north_m: 400, speed_m_s: 0), at: at(570)) == nil)
        // 400 m in 570 s: the missing 100 m take about 142 s.
        #expect(abs((service.deadline - at(570)).seconds - 142.5) < 1)
    }

    @Test("Movement within the accuracies is no speed")
    mutating func jitter() throws {
        _ = service.use(try fix(0, accuracy_m: 50), at: at(0))
        service.advance(to: at(570))
        _ = service.use(try fix(570, north_m: 99, accuracy_m: 50), at: at(570))
        #expect(service.deadline == at(570 + 570))
    }

    @Test(
        "No 500 m of movement are missed for longer than ten minutes, at any speed",
        arguments: [0.9, 1.5, 4, 14, 40])
    mutating func neverMissed(speed_m_s: Double) throws {
        // It is parked for an hour, and then rides.
        let ride = try ride(seconds: 3 * 3_600) { max(0, $0 - 3_600) * speed_m_s }
        let full = 3_600 + 500 / speed_m_s
        let published = try #require(ride.updates.first { $0.at >= full })
        #expect(published.at - full <= 600)
        #expect(published.north_m >= 500)
    }

    @Test("On a parked day with reception the receiver is on for less than a hundredth of the time")
    mutating func parkedDay() throws {
        let parked = try ride(seconds: 86_400) { _ in 0 }
        #expect(parked.updates.count == 1)
        #expect(parked.use.total(at: at(86_400)).seconds < 864)
    }

    @Test("In a garage it is on for a twentieth of the time, once the first half hour is over")
    mutating func garage() throws {
        let garage = try ride(seconds: 86_400, reception: false) { _ in 0 }
        let start = Double(garage.looks.filter { $0 < 1_800 }.count) * 30
        #expect(garage.use.total(at: at(86_400)).seconds - start <= (86_400 - 1_800) / 20)
    }

    @Test("A fix that comes during a rest changes nothing")
    mutating func late() throws {
        _ = service.use(try fix(0), at: at(0))
        #expect(service.use(try fix(301, north_m: 900), at: at(301)) == nil)
        #expect(service.deadline == at(570))
    }
}
