import TestAir
import Testing

@testable import Core

@Suite("Rotation never causes an exit or an entry")
struct RotationAndRegionTests {
    private func air(old_s: ClosedRange<Double>, new_s: ClosedRange<Double>, every_s: Double = 0.1) -> Air {
        var air = Air(othersUntil_s: 150)
        air.beacon(.beacon(), from: .rotating(1), every_s: every_s, start_s: old_s.lowerBound, end_s: old_s.upperBound)
        air.beacon(.beacon(), from: .rotating(2), every_s: every_s, start_s: new_s.lowerBound, end_s: new_s.upperBound)
        return air
    }

    @Test("While the region settles, the beacon was there already, under any address")
    func whileSettling() throws {
        let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(10) }
        let story = Story(settings, air(old_s: 1...8, new_s: 8.2...30))
        #expect(story.states == ["unknown door 0.0", "inside door 1.0", "outside door 50.0"])
        let stay = try #require(story.stay())
        #expect(stay.beginning == .partial)
        #expect(stay.enteredAt == Story.start + .seconds(1))
    }

    @Test("While the exit timer runs, the new address stops it like the old one")
    func whileLeaving() {
        #expect(Story(.door(), air(old_s: 2...30, new_s: 49.9...60)).events == ["enter door 2.0", "exit door 80.0"])
    }

    @Test("While the exit of a slow beacon is stretched")
    func whileStretched() {
        let story = Story(.door(), air(old_s: 2...82, new_s: 112...142, every_s: 10))
        #expect(story.events == ["enter door 2.0"])
    }

    @Test("While the entry debounce runs")
    func whileEntering() {
        let settings = GatewaySettings.door { _, region in region.rules.entryAfter = .seconds(5) }
        #expect(
            Story(settings, air(old_s: 2...4, new_s: 4.5...30)).events == ["enter door 7.0", "exit door 50.0"])
    }

    @Test("With thresholds, the smoothed RSSI continues and so does the stay")
    func withThresholds() {
        let settings = GatewaySettings.door { _, region in
            region.rules.entryRSSI_dbm = -65
            region.rules.exitRSSI_dbm = -75
        }
        #expect(Story(settings, air(old_s: 2...30, new_s: 30.2...60)).events == ["enter door 2.0", "exit door 80.0"])
    }

    @Test(
        "A new address whose first reading fades upwards does not make a beacon enter that was too weak",
        arguments: FilterKind.allCases)
    func fadingUpwards(kind: FilterKind) {
        let settings = GatewaySettings.door { settings, region in
            settings.tracker.regionFilter.kind = kind
            region.rules.entryRSSI_dbm = -80
            region.rules.exitRSSI_dbm = -90
        }
        var air = Air(othersUntil_s: 20)
        air.beacon(.beacon(), from: .rotating(1), rssi_dbm: -88, start_s: 1, end_s: 9.9)
        air.beacon(.beacon(), from: .rotating(2), rssi_dbm: -78, at: 10)
        air.beacon(.beacon(), from: .rotating(2), rssi_dbm: -88, start_s: 10.1, end_s: 20)
        #expect(Story(settings, air).events == [])
    }

    @Test("A strong new address enters once it is decided to be the old beacon come nearer")
    func comeNearer() {
        let settings = GatewaySettings.door { _, region in
            region.rules.entryRSSI_dbm = -80
            region.rules.exitRSSI_dbm = -90
        }
        var air = Air(othersUntil_s: 20)
        air.beacon(.beacon(), from: .rotating(1), rssi_dbm: -88, start_s: 1, end_s: 9.9)
        air.beacon(.beacon(), from: .rotating(2), rssi_dbm: -60, start_s: 10, end_s: 20)
        let times_s = Story(settings, air).transitions.filter { $0.transition.event != nil }.map(\.t_s)
        #expect(times_s.count == 1)
        #expect(times_s.holdForAll { (10.0...12.1).contains($0) })
    }

    @Test("In a crowd of one identity, all rotating at once, the count stays")
    func crowd() throws {
        var air = Air(othersUntil_s: 60)
        for phone in 0..<20 {
            let offset_s = Double(phone) * 0.003
            let number = UInt64(phone)
            let rssi_dbm = Int8(-40 - phone * 2)
            air.beacon(.beacon(), from: .rotating(100 + number), rssi_dbm: rssi_dbm, start_s: 2 + offset_s, end_s: 30)
            air.beacon(
                .beacon(), from: .rotating(200 + number), rssi_dbm: rssi_dbm, start_s: 30.2 + offset_s, end_s: 60)
        }
        let story = Story(.door(), air)
        #expect(story.figures.tracks == 20)
        #expect(story.ranging.filter { $0.t_s > 5 }.holdForAll { $0.report.count == 20 })
        #expect(Set(try #require(story.ranging.last).report.beacons.map(\.track)) == Set(1...20))
    }

    @Test("A fleet of identities that rotates at once pairs each within its own")
    func fleet() throws {
        var air = Air()
        for cart in 1...50 as ClosedRange<UInt16> {
            air.beacon(.beacon(1, cart), from: .rotating(UInt64(cart)), start_s: 2, end_s: 10)
            air.beacon(.beacon(1, cart), from: .rotating(1000 + UInt64(cart)), start_s: 10.2, end_s: 20)
        }
        let story = Story(.door(), air)
        #expect(story.figures.tracks == 50)
        let before = try #require(story.known(at: 9)).beacons.map { [UInt64($0.identity.minor), $0.track] }
        let after = try #require(story.ranging.last).report.beacons.filter { $0.address.bits & 0xFFFF > 1000 }
        #expect(Set(before) == Set(after.map { [UInt64($0.identity.minor), $0.track] }))
        #expect(story.ranging.filter { $0.t_s > 3 }.holdForAll { $0.report.count == 50 })
    }
}
