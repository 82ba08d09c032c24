import TestAir
import Testing

@testable import Core

@Suite("Ranging is published on a change, at most every min_interval_s and at least every max_interval_s")
struct PublishingTests {
    /// Settings without smoothing, so that a change of RSSI changes the distance at once, and with the textbook's path
    /// loss.
    private func settings(_ change: (inout RangingSettings) -> Void = { _ in }) -> GatewaySettings {
        GatewaySettings.door { settings, _ in
            settings.tracker.distanceFilter = FilterSettings(kind: .none, timeConstant_s: 1)
            settings.distance.model = .log
            change(&settings.ranging)
        }
    }

    private func times(_ story: Story) -> [String] { story.ranging.map { Story.tenths($0.t_s) } }

    @Test("A beacon that stands still is published at once, and then every max_interval_s")
    func standsStill() {
        let air = Air(othersUntil_s: 40) { $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 40) }
        #expect(times(Story(settings(), air)) == ["2.0", "12.0", "22.0", "32.0"])
    }

    @Test("max_interval_s holds where it is no multiple of min_interval_s")
    func oddIntervals() {
        let air = Air(othersUntil_s: 40) { $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 40) }
        let settings = settings {
            $0.minInterval = .seconds(3)
            $0.maxInterval = .seconds(10)
        }
        #expect(times(Story(settings, air)) == ["2.0", "12.0", "22.0", "32.0"])
    }

    @Test("mode = interval publishes every min_interval_s")
    func interval() {
        let air = Air(othersUntil_s: 6) { $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 6) }
        let settings = settings {
            $0.mode = .interval
            $0.minInterval = .seconds(0.5)
        }
        #expect(
            times(Story(settings, air)) == ["2.0", "2.5", "3.0", "3.5", "4.0", "4.5", "5.0", "5.5", "6.0"])
    }

    @Test("A list tells how often a beacon is heard at most every 5 s, and from three gaps on")
    func reception() throws {
        let air = Air(othersUntil_s: 13) { $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 13) }
        let story = Story(settings { $0.mode = .interval }, air)
        let telling = story.ranging.filter { $0.report.beacons.first?.reception != nil }
        #expect(telling.map { Story.tenths($0.t_s) } == ["7.0", "12.0"])
        #expect(try #require(telling.first?.report.beacons.first?.reception).interval_ms == 100)
    }

    @Test("A beacon that comes into range is published as soon as min_interval_s allows")
    func comes() throws {
        let air = Air(othersUntil_s: 40) {
            $0.beacon(.beacon(1, 1), from: .fixed(1), start_s: 2, end_s: 40)
            $0.beacon(.beacon(1, 2), from: .fixed(2), start_s: 2.3, end_s: 40)
            $0.beacon(.beacon(1, 3), from: .fixed(3), start_s: 7.3, end_s: 40)
        }
        let story = Story(settings(), air)
        #expect(times(story).prefix(3) == ["2.0", "3.0", "7.3"])
        #expect(story.ranging.prefix(3).map(\.report.count) == [1, 2, 3])
    }

    @Test("A beacon that leaves is published when it falls silent, and when it leaves the list")
    func leaves() {
        let air = Air(othersUntil_s: 40) {
            $0.beacon(.beacon(1, 1), from: .fixed(1), start_s: 2, end_s: 40)
            $0.beacon(.beacon(1, 2), from: .fixed(2), start_s: 2, end_s: 10)
        }
        let story = Story(settings(), air)
        #expect(times(story) == ["2.0", "12.0", "20.0", "30.0", "40.0"])
        #expect(story.ranging.map(\.report.count) == [2, 2, 1, 1, 1])
        #expect(story.ranging[1].report.beacons.map(\.observation.proximity) == [.near, .unknown])
    }

    @Test("A change of proximity is published, within min_interval_s")
    func proximity() {
        let air = Air(othersUntil_s: 40) {
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -72, start_s: 2, end_s: 5)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -80, start_s: 5.1, end_s: 40)
        }
        let settings = settings { $0.distanceFilter_m = 1000 }
        let story = Story(settings, air)
        #expect(story.ranging.prefix(2).map { $0.report.beacons[0].observation.proximity } == [.near, .far])
        #expect(times(story).prefix(2) == ["2.0", "6.0"])
    }

    @Test("A move by distance_filter_m is published, a smaller one is not", arguments: [(0.4, 2), (0.6, 1)])
    func moves(distanceFilter_m: Double, count: Int) {
        // −59 and −62 dBm are 1.00 and 1.32 m, −64 dBm is 1.58 m.
        let air = Air(othersUntil_s: 9) {
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -59, start_s: 2, end_s: 4)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -64, start_s: 4.1, end_s: 9)
        }
        #expect(Story(settings { $0.distanceFilter_m = distanceFilter_m }, air).ranging.count == count)
    }

    @Test("distance_filter_m counts from the last published distance, so that a slow walk is noticed")
    func slowWalk() {
        // A quarter of a metre a step at most, but 1.58 m in the end.
        let air = Air(othersUntil_s: 11) {
            for step in 0..<6 {
                let start_s = 2 + 1.5 * Double(step)
                $0.beacon(
                    .beacon(), from: .fixed(1), rssi_dbm: Int8(-59 - step), start_s: start_s, end_s: start_s + 1.4)
            }
        }
        #expect(Story(settings { $0.distanceFilter_m = 0.5 }, air).ranging.count == 2)
    }

    @Test("Lists are never closer than min_interval_s, under any events", arguments: [0.3, 1, 2.5])
    func neverTooOften(minInterval_s: Double) {
        let air = Air(othersUntil_s: 40) {
            for number in 0..<60 {
                let start_s = 2 + Double(number) * 0.37
                $0.beacon(
                    .beacon(1, UInt16(number)), from: .rotating(UInt64(number)), every_s: 1.3, start_s: start_s,
                    end_s: start_s + Double(number % 5))
            }
        }
        let story = Story(settings { $0.minInterval = .seconds(minInterval_s) }, air)
        let gaps = zip(story.ranging.dropFirst(), story.ranging).map { $0.t_s - $1.t_s }
        #expect(gaps.count > 5)
        #expect(gaps.holdForAll { $0 >= minInterval_s - 1e-6 })
    }

    @Test("Lists are never closer than min_interval_s where reports are rare")
    func thinAir() {
        var air = Air()
        for step in 0..<12 { air.beacon(.beacon(1, 1), from: .fixed(1), at: 2 + 4 * Double(step)) }
        for step in 0..<12 { air.beacon(.beacon(1, 2), from: .fixed(2), at: 2.7 + 4 * Double(step)) }
        let story = Story(settings(), air)
        let gaps = zip(story.ranging.dropFirst(), story.ranging).map { $0.t_s - $1.t_s }
        #expect(gaps.count >= 10 && gaps.holdForAll { $0 >= 1 - 1e-6 })
    }

    @Test("Nothing is published while the region is outside or unknown")
    func onlyInside() {
        var air = Air(othersUntil_s: 10)
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: -90, start_s: 1, end_s: 10)
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: -50, start_s: 10, end_s: 20)
        air.otherDevices(start_s: 100, end_s: 130)
        var settings = settings()
        settings.regions.beacons[0].rules.entryRSSI_dbm = -70
        settings.tracker.regionFilter = FilterSettings(kind: .none, timeConstant_s: 1)
        let story = Story(settings, air)
        #expect(story.states == ["outside door 0.0", "inside door 10.0", "unknown door 80.0", "outside door 120.0"])
        #expect(!story.ranging.isEmpty && story.ranging.holdForAll { $0.t_s >= 10 && $0.t_s <= 80 })
    }

    @Test("ranging = false publishes no list")
    func notRanged() {
        var settings = settings()
        settings.regions.beacons[0].isRanged = false
        let air = Air(othersUntil_s: 40) { $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 40) }
        let story = Story(settings, air)
        #expect(story.events == ["enter door 2.0"])
        #expect(story.ranging.isEmpty)
    }

    @Test("After an exit and a new entry the first list is published at once")
    func againInside() {
        let air = Air(othersUntil_s: 60) {
            $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 10)
            $0.beacon(.beacon(), from: .fixed(1), start_s: 50.5, end_s: 55)
        }
        #expect(times(Story(settings(), air)) == ["2.0", "12.0", "20.0", "50.5", "57.0"])
    }
}
