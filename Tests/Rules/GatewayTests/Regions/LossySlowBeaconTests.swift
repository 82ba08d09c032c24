import TestAir
import Testing

@testable import Core

@Suite("Slow beacons that lose packets: an hour each, over seeds")
struct LossySlowBeaconTests {
    /// The results of an hour of a beacon.
    private struct Hour {
        var lastHeard_s: Double
        var flickers: Int
        var exits: Int
        var left_s: Double?
    }

    /// A beacon with a static address that is there for an hour and then leaves.
    ///
    /// - Parameters:
    ///   - jitter: by what share of the interval each packet may come too early or too late.
    ///   - rotatesAt_s: a private address instead, and another one from then on.
    private func hour(
        every_s: Double, jitter: Double, loss: Double, seed: UInt64, rotatesAt_s: Double? = nil,
        restoring: [RegionRecord] = []
    ) -> Hour {
        var random = RandomStream(seed: seed)
        var air = Air()
        var lastHeard_s = 0.0
        air.otherDevices(every_s: 2, end_s: 3_900)
        for number in 1...Int(3_600 / every_s) {
            let at_s = (Double(number) + jitter * (2 * random.unit() - 1)) * every_s
            guard random.unit() >= loss else { continue }
            let address = rotatesAt_s.map { DeviceAddress.rotating(at_s < $0 ? 1 : 2) } ?? .fixed(1)
            air.beacon(.beacon(), from: address, at: at_s)
            lastHeard_s = at_s
        }
        let story = Story(.door(), air, restoring: restoring)
        // The time for which it was there, once interval and loss were learned.
        let learned_s = 40 * every_s
        let lists = story.ranging.filter { $0.t_s > learned_s && $0.t_s <= lastHeard_s }.map(\.report.beacons)
        let exits = story.transitions.filter { $0.transition.state == .outside && $0.t_s > learned_s }.map(\.t_s)
        return Hour(
            lastHeard_s: lastHeard_s,
            flickers: lists.count { list in !list.contains { $0.observation.proximity != .unknown } },
            exits: exits.count { $0 <= lastHeard_s }, left_s: exits.last { $0 > lastHeard_s })
    }

    @Test(
        "Up to 30 % loss and a jitter of a tenth: never unknown, never an exit", arguments: [1.0, 2, 5, 10],
        [(0.0, 0.0), (0.1, 0.0), (0.0, 0.3), (0.1, 0.3)])
    func moderate(every_s: Double, air: (jitter: Double, loss: Double)) throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let hour = hour(every_s: every_s, jitter: air.jitter, loss: air.loss, seed: seed)
            #expect(hour.flickers == 0 && hour.exits == 0, "seed \(seed): \(hour)")
            let silence_s = try #require(hour.left_s) - hour.lastHeard_s
            #expect(silence_s <= 4 * every_s / (1 - air.loss) * 1.35 + 20)
            if air.loss == 0 { #expect(silence_s <= max(20, 4 * every_s * (1 + 2 * air.jitter)) + 0.01) }
        }
    }

    @Test("Half of the packets lost: hardly ever unknown", arguments: [1.0, 2, 5, 10], [0.0, 0.1])
    func half(every_s: Double, jitter: Double) throws {
        var (flickers, exits) = (0, 0)
        for seed in 1...6 as ClosedRange<UInt64> {
            let hour = hour(every_s: every_s, jitter: jitter, loss: 0.5, seed: seed)
            flickers += hour.flickers
            exits += hour.exits
            #expect(try #require(hour.left_s) - hour.lastHeard_s <= 4 * every_s * 2 * 1.6 + 20)
        }
        #expect(flickers <= 1 && exits <= (every_s < 5 ? 1 : 4), "\(flickers) flickers, \(exits) exits in 6 hours")
    }

    @Test("The learned interval and loss survive a rotation", arguments: [1.0, 2, 5, 10])
    func rotation(every_s: Double) {
        for seed in 1...3 as ClosedRange<UInt64> {
            let hour = hour(every_s: every_s, jitter: 0.1, loss: 0.3, seed: seed, rotatesAt_s: 1_800)
            #expect(hour.flickers == 0 && hour.exits == 0, "seed \(seed): \(hour)")
        }
    }

    @Test("The learned values survive a restart: one reception is enough to be slow", arguments: [5.0, 10])
    func restart(every_s: Double) throws {
        var before = Air(othersUntil_s: 200)
        before.beacon(.beacon(), from: .fixed(1), every_s: every_s, start_s: 1, end_s: 200)
        let record = try #require(Story(.door(), before).stored[RegionInstanceID(region: "door")])
        let keeper = BeaconKeeper(major: 1, minor: 1, patience: .seconds(4 * every_s), rssi_dbm: -60)
        #expect(record.stay?.keeper == keeper)
        var after = Air(othersUntil_s: 1 + 5 * every_s)
        after.beacon(.beacon(), from: .fixed(1), at: 1)
        after.beacon(.beacon(), from: .fixed(1), at: 1 + 3.9 * every_s)
        let story = Story(.door(), after, restoring: [record])
        #expect(story.events.isEmpty)
        #expect(
            story.ranging.filter { $0.t_s > 1 }.holdForAll {
                $0.report.beacons.holdForAll { $0.observation.proximity != .unknown } && $0.report.count == 1
            })
    }
}
