import TestAir
import Testing

@testable import Core

@Suite("Enter: heard at or above entry_rssi_dbm for entry_after_s")
struct EntryTests {
    private func settings(
        entryAfter_s: Double = 0, entryRSSI_dbm: Double = -127, exitRSSI_dbm: Double = -127
    ) -> GatewaySettings {
        GatewaySettings.door { settings, region in
            region.rules.entryAfter = .seconds(entryAfter_s)
            region.rules.entryRSSI_dbm = entryRSSI_dbm
            region.rules.exitRSSI_dbm = exitRSSI_dbm
            settings.tracker.regionFilter = FilterSettings(kind: .none, timeConstant_s: 1)
        }
    }

    @Test("The first report from entry_after_s on enters")
    func debounce() {
        let air = Air(othersUntil_s: 120) { $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 20) }
        #expect(Story(settings(entryAfter_s: 5), air).events.first == "enter door 7.0")
    }

    @Test("Heard for less than entry_after_s does not enter")
    func tooShort() {
        let air = Air(othersUntil_s: 120) { $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 6.9) }
        #expect(Story(settings(entryAfter_s: 5), air).events == [])
    }

    @Test("The debounce continues across a silence of 5 s")
    func shortSilence() {
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 3)
            $0.beacon(.beacon(), from: .fixed(1), start_s: 7.5, end_s: 30)
        }
        #expect(Story(settings(entryAfter_s: 5), air).events.first == "enter door 7.5")
    }

    @Test("The debounce starts anew after a longer silence, as two reports of a passer-by have between them")
    func startsAnew() {
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(), from: .fixed(1), at: 2)
            $0.beacon(.beacon(), from: .fixed(1), start_s: 21, end_s: 40)
        }
        #expect(Story(settings(entryAfter_s: 3), air).events.first == "enter door 24.0")
    }

    @Test("The debounce of a slow beacon continues across 4 of its learned intervals")
    func slowBeacon() {
        let air = Air(othersUntil_s: 120) { air in
            for at_s in [2.0, 10, 18, 26, 34, 58, 66] {
                air.beacon(.beacon(), from: .fixed(1), rssi_dbm: at_s < 58 ? -90 : -60, at: at_s)
            }
        }
        #expect(Story(settings(entryAfter_s: 5, entryRSSI_dbm: -70), air).events.first == "enter door 66.0")
    }

    @Test(
        "The debounce runs for each beacon: two that are heard once each do not enter together",
        arguments: [BeaconRegion.Expansion.none, .major])
    func eachBeaconByItself(expansion: BeaconRegion.Expansion) {
        var settings = settings(entryAfter_s: 3)
        settings.regions.beacons[0].expansion = expansion
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(1, 1), from: .fixed(1), at: 20)
            $0.beacon(.beacon(1, 2), from: .fixed(2), at: 23.5)
            $0.beacon(.beacon(1, 2), from: .fixed(2), start_s: 24, end_s: 40)
        }
        let entry = Story(settings, air).events.first
        #expect(entry?.hasPrefix("enter door") == true && entry?.hasSuffix(" 26.5") == true)
    }

    @Test("Beyond 64 beacons in their debounce, the one that was heard longest ago gives way")
    func manyCandidates() {
        let report = { (minor: UInt16, at: Double) in
            let seen = Instant.origin + .seconds(at)
            return BeaconCandidacy(
                major: 1, minor: minor, firstHeardAt: seen, firstSeen: seen, lapsesAt: seen + .seconds(5))
        }
        var candidates = BeaconCandidates(report(0, 0))
        for minor in 1...UInt16(BeaconCandidates.most) { candidates.hear(report(minor, Double(minor) / 100)) }
        candidates.hear(report(1, 1))
        #expect(candidates.latest.firstSeen == .origin + .seconds(0.01))
        candidates.hear(report(0, 1))
        #expect(candidates.latest.firstSeen == .origin + .seconds(1))
    }

    @Test("Reports below entry_rssi_dbm do not continue the debounce")
    func weakReportsDoNotQualify() {
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -60, start_s: 2, end_s: 3)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -90, start_s: 3.1, end_s: 30)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -60, start_s: 30.1, end_s: 40)
        }
        #expect(Story(settings(entryAfter_s: 5, entryRSSI_dbm: -70), air).events.first == "enter door 35.1")
    }

    @Test("A level at the threshold enters, one just below does not")
    func threshold() {
        let at = Air(othersUntil_s: 120) { $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -70, at: 2) }
        let below = Air(othersUntil_s: 120) { $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -71, at: 2) }
        #expect(Story(settings(entryRSSI_dbm: -70), at).events.first == "enter door 2.0")
        #expect(Story(settings(entryRSSI_dbm: -70), below).events == [])
    }

    @Test("The smoothed RSSI has to reach the threshold: one strong packet does not enter")
    func smoothed() {
        var settings = settings(entryRSSI_dbm: -70)
        settings.tracker.regionFilter = FilterSettings(kind: .ewma, timeConstant_s: 3)
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -90, start_s: 2, end_s: 10)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -60, at: 10.05)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -90, start_s: 10.1, end_s: 12)
        }
        #expect(Story(settings, air).events == [])
    }

    @Test("After the entry the exit thresholds hold: a beacon between the two stays inside")
    func cushion() {
        let settings = settings(entryRSSI_dbm: -70, exitRSSI_dbm: -85)
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -65, start_s: 2, end_s: 5)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -80, start_s: 5, end_s: 60)
        }
        #expect(Story(settings, air).events == ["enter door 2.0", "exit door 80.0"])
    }

    @Test("A beacon still heard, but below exit_rssi_dbm, has left after exit_after_s")
    func weakExit() throws {
        let settings = settings(entryRSSI_dbm: -70, exitRSSI_dbm: -85)
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -65, start_s: 2, end_s: 30)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -90, start_s: 30.1, end_s: 100)
        }
        let story = Story(settings, air)
        #expect(story.events == ["enter door 2.0", "exit door 50.0"])
        #expect(try #require(story.stay()).dwell == .seconds(28))
    }

    @Test("A beacon between the thresholds does not enter again")
    func noFlicker() {
        let settings = settings(entryRSSI_dbm: -70, exitRSSI_dbm: -85)
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -65, at: 2)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -90, start_s: 2.1, end_s: 30)
            $0.beacon(.beacon(), from: .fixed(1), rssi_dbm: -80, start_s: 30.1, end_s: 60)
        }
        #expect(Story(settings, air).events == ["enter door 2.0", "exit door 22.0"])
    }

    @Test("The event of an entry names the beacon that caused it")
    func entryTellsOfItsBeacon() throws {
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(4, 5), from: .fixed(1), rssi_dbm: -90, at: 2)
            $0.beacon(.beacon(6, 7), from: .fixed(2), rssi_dbm: -60, at: 3)
        }
        let event = try #require(
            Story(settings(entryRSSI_dbm: -70), air).transitions.compactMap(\.transition.event).first)
        guard case .beacon(let identity, let observation) = event.cause else { return }
        #expect(identity.major == 6 && identity.minor == 7)
        #expect(observation.rssi_dbm == -60)
        #expect(observation.proximity == .near)
    }

    @Test("The event of an exit names that beacon, with the last RSSI and no proximity")
    func exitTellsOfTheEntry() throws {
        let air = Air(othersUntil_s: 120) {
            $0.beacon(.beacon(4, 5), from: .fixed(1), rssi_dbm: -60, at: 2)
            $0.beacon(.beacon(6, 7), from: .fixed(2), rssi_dbm: -75, at: 3)
        }
        let exit = try #require(Story(settings(), air).transitions.compactMap(\.transition.event).last)
        let beacon = BeaconIdentity(uuid: Air.uuid, major: 4, minor: 5)
        #expect(exit.cause == .beacon(beacon, .undetermined(rssi_dbm: -75)))
    }
}
