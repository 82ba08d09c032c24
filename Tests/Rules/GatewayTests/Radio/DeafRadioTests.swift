import TestAir
import Testing

@testable import Core

@Suite("A silence of all beacons decides nothing")
struct DeafRadioTests {
    /// Two beacons and another device, ten times a second and twice, and the radio deaf between times.
    private func shop(deaf: [ClosedRange<Double>], end_s: Double = 60) -> Air {
        var whole = Air(othersUntil_s: end_s)
        whole.beacon(.beacon(1, 1), from: .rotating(1), start_s: 2, end_s: end_s)
        whole.beacon(.beacon(1, 2), from: .rotating(2), start_s: 2.03, end_s: end_s)
        return whole.cut(deaf)
    }

    /// Some beacons and no other device, alternating.
    private func byTurns(_ count: Int, every_s: Double, end_s: Double) -> Air {
        var air = Air()
        for number in 0..<count {
            air.beacon(
                .beacon(1, UInt16(number)), from: .rotating(UInt64(number)), every_s: every_s,
                start_s: 0.2 + every_s * Double(number) / Double(count), end_s: end_s)
        }
        return air
    }

    @Test("Where all fall silent at once, no beacon is unknown until one is heard again")
    func unknown() throws {
        let story = Story(.door(), shop(deaf: [20...27]))
        for t_s in [22.5, 24, 26.5, 27.5] {
            let report = try #require(story.known(at: t_s))
            let beacons = report.beacons
            #expect(!beacons.isEmpty && beacons.holdForAll { $0.observation.proximity == .near }, "\(t_s) s")
        }
    }

    @Test("After resolve_after_s of it they are off the list nevertheless")
    func offTheList() throws {
        #expect(try #require(Story(.door(), shop(deaf: [20...40])).known(at: 31)).beacons.isEmpty)
    }

    @Test("A beacon that left while the radio is mostly deaf stays listed at most 2 unknown_after_s longer")
    func leftAmongDeafTimes() throws {
        let deaf: [ClosedRange<Double>] = stride(from: 10.0, to: 80, by: 3.3).map { $0...($0 + 3) }
        var air = shop(deaf: [], end_s: 80)
        air.beacon(.beacon(1, 3), from: .rotating(3), start_s: 2, end_s: 20)
        let report = try #require(Story(.door(), air.cut(deaf)).known(at: 36))
        #expect(report.beacons.count == 2)
    }

    @Test("While others are heard, a silent beacon is unknown after unknown_after_s")
    func oneOfThem() throws {
        var air = shop(deaf: [])
        air.beacon(.beacon(1, 3), from: .rotating(3), start_s: 2, end_s: 20)
        let report = try #require(Story(.door(), air).known(at: 22.5))
        #expect(report.beacons.count { $0.observation.proximity == .unknown } == 1)
    }

    @Test("A beacon that left during a pause is unknown unknown_after_s after its end")
    func leftMeanwhile() throws {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(1, 1), from: .rotating(1), start_s: 2, end_s: 60)
        air.beacon(.beacon(1, 2), from: .rotating(2), start_s: 2.03, end_s: 20)
        let story = Story(.door(), air.cut([20...26]))
        func unknown(at t_s: Double) throws -> Int {
            try #require(story.known(at: t_s)).beacons.count { $0.observation.proximity == .unknown }
        }
        #expect(try unknown(at: 26.5) == 0)
        #expect(try unknown(at: 29) == 1)
    }

    @Test("A newcomer heard first after a pause takes over no track: the others have not had their time yet")
    func noTakeOverByPause() throws {
        // Two phones of one identity; a third comes while the radio is deaf, and is heard first.
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .rotating(1), every_s: 0.3, start_s: 2, end_s: 60)
        air.beacon(.beacon(), from: .rotating(2), every_s: 1.2, start_s: 2.1, end_s: 60)
        air.beacon(.beacon(), from: .rotating(3), every_s: 0.2, start_s: 26.01, end_s: 60)
        let story = Story(.door(), air.cut([20...26]))
        let report = try #require(story.known(at: 45))
        #expect(Set(report.beacons.map(\.track)).count == 3)
        #expect(story.figures.tracks == 3)
    }

    @Test("Pauses add up: a beacon missed once between them is not silent")
    func severalTimes() throws {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .rotating(1), every_s: 0.3, start_s: 2, end_s: 60)
        // The second phone is not heard in the half second between, nor in the first second after.
        air.beacon(.beacon(), from: .rotating(2), every_s: 0.3, start_s: 2.1, end_s: 19)
        air.beacon(.beacon(), from: .rotating(2), every_s: 0.3, start_s: 27, end_s: 60)
        air.beacon(.beacon(), from: .rotating(3), every_s: 0.2, start_s: 22.31, end_s: 60)
        let story = Story(.door(), air.cut([19...22.3, 22.8...25.9]))
        let report = try #require(story.known(at: 26.95))
        #expect(report.beacons.holdForAll { $0.observation.proximity == .near })
        #expect(Set(report.beacons.map(\.track)).count == 3)
        #expect(story.figures.tracks == 3)
    }

    @Test(
        "A beacon that rotated during a pause keeps its track, for as long as it would have stayed listed",
        arguments: [4, 7.5, 8.5, 9.5])
    func rotatedMeanwhile(deaf_s: Double) throws {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(1, 2), from: .rotating(9), start_s: 2.03, end_s: 60)
        air.beacon(.beacon(), from: .rotating(1), start_s: 2, end_s: 20)
        air.beacon(.beacon(), from: .rotating(2), start_s: 20, end_s: 60)
        let story = Story(.door(), air.cut([18...(18 + deaf_s)]))
        #expect(story.figures.tracks == 2)
    }

    @Test(
        "In a replay, a common silence is the radio's even with slow beacons: no beacon leaves by it",
        arguments: [2, 3, 4])
    func slowBeaconsStay(every_s: Double) {
        var air = Air()
        air.beacon(.beacon(1, 1), from: .rotating(1), every_s: every_s, start_s: 1, end_s: 300)
        air.beacon(.beacon(1, 2), from: .rotating(2), every_s: every_s, start_s: 1 + every_s / 3, end_s: 300)
        let story = Story(.door { $1.expansion = .minor }, air.cut([100...128, 200...255]))
        #expect(story.events.holdForAll { $0.hasPrefix("enter") } && story.events.count == 2, "\(story.events)")
    }

    @Test(
        "Of few beacons none becomes unknown where the radio is repeatedly deaf for some seconds",
        arguments: [(2, 0.5), (2, 1.0), (3, 1.0), (3, 0.5)])
    func fewBeacons(count: Int, every_s: Double) {
        let deaf: [ClosedRange<Double>] = stride(from: 0.0, to: 480, by: 24).map { ($0 + 4)...($0 + 9.5) }
        let story = Story(.door(), byTurns(count, every_s: every_s, end_s: 480).cut(deaf))
        let beacons = story.ranging.flatMap(\.report.beacons)
        #expect(beacons.count >= 20 * count && beacons.holdForAll { $0.observation.proximity != .unknown })
    }

    @Test("A beacon is not silent where each burst that the radio hears has only a few reports")
    func slowBeaconsInBursts() {
        let bursts: [(count: Int, every_s: Double, heard_s: Double, of_s: Double)] = [(3, 5, 10, 60), (2, 3, 20, 60)]
        for burst in bursts {
            let air = byTurns(burst.count, every_s: burst.every_s, end_s: 1_200)
            let deaf: [ClosedRange<Double>] = stride(from: 60, to: 1_200, by: burst.of_s).map {
                ($0 + burst.heard_s)...($0 + burst.of_s)
            }
            let story = Story(.door { $1.expansion = .minor }, air.cut(deaf))
            #expect(story.events.count { $0.hasPrefix("enter") } == burst.count, "\(burst)")
            #expect(story.events.count { $0.hasPrefix("exit") } == 0, "\(burst)")
        }
    }

    @Test("A radio that hears 4 s in 24 learns the intervals of those 4 s")
    func learnedInterval() throws {
        // Patience would grow to four times 20 s, and a beacon that left would be listed for more than a minute.
        let deaf: [ClosedRange<Double>] = stride(from: 0.0, to: 240, by: 24).map { ($0 + 4.5)...($0 + 24) }
        var air = Air(othersUntil_s: 300)
        air.beacon(.beacon(1, 1), from: .rotating(1), every_s: 1, start_s: 0.2, end_s: 300)
        air.beacon(.beacon(1, 2), from: .rotating(2), every_s: 1.5, start_s: 0.3, end_s: 245)
        let story = Story(.door(), air.cut(deaf))
        #expect(try #require(story.known(at: 258)).beacons.count == 1)
    }

    @Test("A slow beacon alone in the air is learned as it is")
    func aloneAndSlow() throws {
        var air = Air()
        air.beacon(.beacon(1, 1), from: .rotating(1), every_s: 6, start_s: 2, end_s: 200)
        let story = Story(.door(), air)
        for t_s in stride(from: 60.0, to: 195, by: 5) {
            let report = try #require(story.known(at: t_s))
            #expect(report.beacons.holdForAll { $0.observation.proximity == .near } && report.beacons.count == 1)
        }
    }
}

extension Air {
    /// Returns this air as heard by a radio that is deaf between those times.
    func cut(_ deaf: [ClosedRange<Double>]) -> Air {
        var heard = Air()
        for transmission in inOrder where !deaf.contains(where: { $0.contains(transmission.t_s) }) {
            heard.event(transmission.event, at: transmission.t_s)
        }
        return heard
    }
}
