import TestAir
import Testing

@testable import Core

@Suite("The truth agrees with the packets")
struct TruthTests {
    private let scenario = StoreScenario.crowd(seed: 5, duration: .seconds(2_400))

    @Test("Every beacon packet carries its beacon's identity, and the address of that moment")
    func packetsAgree() throws {
        let beacons = Dictionary(uniqueKeysWithValues: scenario.truth.beacons.map { ($0.actor, $0) })
        var checked = 0
        var rejects = RejectCounts()
        for packet in StoreSimulation.packets(of: scenario) where scenario.actors[packet.actor].kind != .other {
            let beacon = try #require(beacons[packet.actor])
            let span = try #require(beacon.addresses.first { $0.address == packet.report.address })
            try #require(span.from <= packet.at && packet.at < span.until)
            var identities: [BeaconIdentity] = []
            IBeaconFrame.forEach(in: packet.report, packet.data.span, rejects: &rejects) { frame in
                identities.append(frame.identity)
            }
            try #require(identities == [beacon.identity])
            checked += 1
        }
        #expect(checked > 10_000)
        #expect(rejects == RejectCounts())
    }

    @Test("Other devices' packets hold no iBeacon and are well-formed")
    func othersAreNone() {
        var rejects = RejectCounts()
        var count = 0
        let packets = StoreSimulation.packets(of: .firstRun(seed: 2, duration: .seconds(120)), seed: 2)
        let actors = StoreScenario.firstRun(seed: 2, duration: .seconds(120)).actors
        for packet in packets where actors[packet.actor].kind == .other {
            #expect(packet.data.count <= 31)
            IBeaconFrame.forEach(in: packet.report, packet.data.span, rejects: &rejects) { _ in count += 1 }
        }
        #expect(count == 0)
        #expect(rejects == RejectCounts())
    }

    @Test("Packets come in the order of time, and only while their sender is there")
    func orderAndPresence() {
        let packets = StoreSimulation.packets(of: scenario)
        let beacons = Dictionary(uniqueKeysWithValues: scenario.truth.beacons.map { ($0.actor, $0) })
        #expect(zip(packets, packets.dropFirst()).holdForAll { $0.at <= $1.at })
        #expect(
            packets.holdForAll { packet in
                beacons[packet.actor].map { $0.enteredAt <= packet.at && packet.at < $0.leftAt } ?? true
            })
    }

    @Test("A beacon's address spans follow one another from its coming to its going")
    func spansAreContiguous() {
        for beacon in scenario.truth.beacons {
            #expect(beacon.addresses.first?.from == beacon.enteredAt)
            #expect(beacon.addresses.last?.until == beacon.leftAt)
            #expect(zip(beacon.addresses, beacon.addresses.dropFirst()).allSatisfy { $0.until == $1.from })
        }
        #expect(scenario.truth.beacons.contains { $0.addresses.count > 1 })
    }

    @Test("The truth is cut off at the end of its scenario")
    func cutOff() {
        let end = Instant.origin + scenario.duration
        #expect(scenario.truth.beacons.holdForAll { $0.leftAt <= end })
        #expect(scenario.actors.contains { $0.path.end > end })
    }

    @Test("As JSON: one object a beacon, seconds since the beginning, distances once a second to the centimetre")
    func json() {
        var path = ActorPath(from: FloorPoint(x_m: 0, y_m: 4), at: .origin + .milliseconds(500))
        path.walk(to: FloorPoint(x_m: 0, y_m: 1), speed_m_s: 1.5)
        let addresses = [
            AddressSpan(
                address: DeviceAddress(bits: 0x5A00_0000_0001, type: .random), from: path.start,
                until: .origin + .seconds(1)),
            AddressSpan(
                address: DeviceAddress(bits: 0x5A00_0000_0002, type: .random), from: .origin + .seconds(1),
                until: path.end),
        ]
        let phone = Actor(
            beacon: BeaconIdentity(uuid: StoreScenario.storeUUID, major: 2, minor: 9), kind: .phone,
            interval: .milliseconds(100), path: path, addresses: addresses)
        var text = ""
        floor([phone]).truth.writeJSON { text += $0 }
        #expect(
            text == """
                {"scenario": "test", "duration_s": 600.0, "gateway": {"x_m": 0.0, "y_m": 0.0}, "beacons": [
                {"actor": 0, "kind": "phone", "uuid": "39ED98FF-2900-441A-802F-9C398FC199D2", "major": 2, "minor": 9, \
                "measured_power_dbm": -59, "entered_at_s": 0.5, "left_at_s": 2.5,
                 "addresses": [{"address": "5A:00:00:00:00:01", "from_s": 0.5, "until_s": 1.0}, \
                {"address": "5A:00:00:00:00:02", "from_s": 1.0, "until_s": 2.5}],
                 "distance_m": [4.0, 2.5]}
                ]}

                """)
    }
}
