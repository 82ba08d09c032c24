import TestAir
import Testing

@testable import Core

@Suite("A track passes from one address to the next")
struct ChainTests {
    private typealias Span = (address: UInt64, start_s: Double, end_s: Double)

    /// One beacon of the identity with a private address for each span, and other traffic.
    private func air(_ spans: [Span], every_s: Double = 0.1) -> Air {
        var air = Air(othersUntil_s: (spans.map(\.end_s).max() ?? 0) + 60)
        for span in spans {
            air.beacon(
                .beacon(), from: .rotating(span.address), every_s: every_s, start_s: span.start_s, end_s: span.end_s)
        }
        return air
    }

    private func neverMoreThanOne(_ story: Story) -> Bool {
        story.figures.tracks == 1 && story.ranging.holdForAll { $0.report.count <= 1 }
            && story.ranging.flatMap(\.report.beacons).holdForAll { !$0.isDuplicate }
    }

    @Test("A → B → C, far apart, is one track")
    func chain() throws {
        let story = Story(.door(), air([(1, 2, 30), (2, 30.2, 60), (3, 60.2, 90)]))
        #expect(neverMoreThanOne(story))
        #expect(story.events == ["enter door 2.0", "exit door 110.0"])
        #expect(try #require(story.known(at: 80)).beacons.map(\.track) == [1])
    }

    @Test("A → B → C, faster than any of them resolves, is one track")
    func fastChain() throws {
        let story = Story(.door(), air([(1, 2, 30), (2, 30.2, 31), (3, 31.2, 60)]))
        #expect(neverMoreThanOne(story))
        #expect(try #require(story.known(at: 50)).beacons.map(\.track) == [1])
    }

    @Test("A new address every second, for a minute, is one track")
    func everySecond() {
        let spans = (1...60).map { number -> Span in
            let start_s = 1 + Double(number)
            return (UInt64(number), start_s, start_s + 0.9)
        }
        #expect(neverMoreThanOne(Story(.door(), air(spans))))
    }

    @Test("A new address for every packet is one track")
    func everyPacket() {
        let spans = (1...300).map { number -> Span in
            let start_s = 2 + Double(number) * 0.3
            return (UInt64(number), start_s, start_s + 0.05)
        }
        #expect(neverMoreThanOne(Story(.door(), air(spans))))
    }

    @Test("A → B → A, the old address reused after it was gone, is one track")
    func backToTheOldAddress() {
        #expect(neverMoreThanOne(Story(.door(), air([(1, 2, 30), (2, 30.2, 60), (1, 60.2, 90)]))))
    }

    @Test("A newcomer whose predecessor is silent for longer than unknown_after_s takes over at once")
    func predecessorAlreadySilent() throws {
        let story = Story(.door(), air([(1, 2, 30), (2, 35, 60)]))
        #expect(neverMoreThanOne(story))
        #expect(story.ranging.flatMap(\.report.beacons).holdForAll { !$0.isResolving })
        #expect(try #require(story.known(at: 36)).beacons.map(\.track) == [1, 1])
    }

    @Test("A newcomer whose predecessor has left the list is another track")
    func predecessorGone() {
        let story = Story(.door(), air([(1, 2, 30), (2, 40.1, 60)]))
        #expect(story.figures.tracks == 2)
        #expect(story.events == ["enter door 2.0", "exit door 80.0"])
    }

    @Test("The filters continue: the smoothed RSSI does not jump at a rotation")
    func filtersGoOn() throws {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .rotating(1), rssi_dbm: -60, start_s: 2, end_s: 30)
        air.beacon(.beacon(), from: .rotating(2), rssi_dbm: -66, start_s: 30.2, end_s: 33)
        let after = try #require(Story(.door(), air).ranging.last { $0.t_s <= 33 }?.report)
        let rssi_dbm = try #require(after.beacons.first { $0.address == .rotating(2) }?.observation.rssi_dbm)
        #expect(rssi_dbm > -65 && rssi_dbm < -60)
    }

    @Test("A beacon that returns 3 s after its rotation was two devices all the time: the count says so")
    func returnsAfterThreeSeconds() throws {
        let story = Story(.door(), air([(1, 2, 30), (2, 30.2, 60), (1, 33, 60)]))
        #expect(story.figures.tracks == 2)
        let report = try #require(story.known(at: 36))
        #expect(report.count == 2)
        #expect(report.beacons.first { $0.address == .rotating(1) }?.track == 1)
        #expect(report.beacons.map(\.isDuplicate) == [true, true])
        #expect(story.events == ["enter door 2.0", "exit door 80.0"])
    }

    @Test("A beacon that returns 12 s after its rotation lost its track to the newcomer, and gets a new one")
    func returnsAfterTwelveSeconds() throws {
        let story = Story(.door(), air([(1, 2, 30), (2, 30.2, 60), (1, 42, 60)]))
        #expect(story.figures.tracks == 2)
        let report = try #require(story.known(at: 45))
        #expect(report.count == 2)
        #expect(report.beacons.first { $0.address == .rotating(2) }?.track == 1)
    }

    @Test("Track ids are never reused, not even provisional ones")
    func idsAreUnique() {
        let story = Story(.door(), air([(1, 2, 30), (2, 30.2, 60), (1, 33, 60), (3, 60.2, 80)]))
        var addressesOfTrack: [TrackID: Set<DeviceAddress>] = [:]
        for beacon in story.ranging.flatMap(\.report.beacons) where beacon.isResolving {
            addressesOfTrack[beacon.track, default: []].insert(beacon.address)
        }
        #expect(addressesOfTrack.values.holdForAll { $0.count == 1 })
    }
}
