import TestAir
import Testing

@testable import Core

@Suite("A device with a known key is resolved with certainty")
struct KnownDeviceTests {
    /// The Core's sample key and addresses that it resolves, by `ah` of three prands: 708194 (the Core's own), 400001
    /// and 412345.
    private static let key: [UInt8] = [
        0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B,
    ]
    private let till = [0x7081_940D_FBAA, 0x4000_01A7_12B0, 0x4123_45C4_D0DF].map {
        DeviceAddress(bits: $0, type: .random)
    }
    private let settings = GatewaySettings.door { settings, _ in
        settings.tracker.devices = [
            KnownDevice(name: "other", identityResolvingKey: [UInt8](repeating: 7, count: 16)),
            KnownDevice(name: "till", identityResolvingKey: Self.key),
        ]
    }

    @Test("A new address continues the track at once, the count is never 2, and nothing resolves")
    func sameTrackAtOnce() {
        let story = Story(
            settings,
            Air(othersUntil_s: 90) {
                $0.beacon(.beacon(), from: till[0], start_s: 2, end_s: 30)
                $0.beacon(.beacon(), from: till[1], start_s: 30.1, end_s: 60)
                $0.beacon(.beacon(), from: till[2], start_s: 60.1, end_s: 90)
            })
        #expect(story.figures.tracks == 1)
        let beacons = story.ranging.map(\.report.beacons)
        #expect(beacons.holdForAll { $0.count == 1 })
        #expect(beacons.joined().holdForAll { !$0.isResolving && !$0.isDuplicate && $0.track == 1 && $0.device == 1 })
    }

    @Test("A known device keeps its track after it was off the list")
    func comesBack() {
        let story = Story(
            settings,
            Air(othersUntil_s: 90) {
                $0.beacon(.beacon(), from: till[0], start_s: 2, end_s: 30)
                $0.beacon(.beacon(), from: till[1], start_s: 60, end_s: 80)
            })
        #expect(story.figures.tracks == 1)
    }

    @Test("A stranger never inherits its track, nor a known device a stranger's", arguments: [true, false])
    func doesNotInherit(isStrangerLater: Bool) {
        let story = Story(
            settings,
            Air(othersUntil_s: 90) {
                $0.beacon(.beacon(), from: isStrangerLater ? till[0] : .rotating(9), start_s: 2, end_s: 30)
                $0.beacon(.beacon(), from: isStrangerLater ? .rotating(9) : till[0], start_s: 30.1, end_s: 60)
            })
        #expect(story.figures.tracks == 2)
        #expect(story.ranging.flatMap(\.report.beacons).holdForAll { !$0.isResolving })
    }

    @Test("One device with two identities is two tracks")
    func twoIdentities() {
        let story = Story(
            settings,
            Air(othersUntil_s: 90) {
                $0.beacon(.beacon(1, 1), from: till[0], start_s: 2, end_s: 30)
                $0.beacon(.beacon(1, 2), from: till[0], start_s: 2, end_s: 30)
            })
        #expect(story.figures.tracks == 2)
    }
}
