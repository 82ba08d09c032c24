import TestAir
import Testing

@testable import Core

@Suite("A region of people in the engine")
struct PeopleRegionTests {
    private let uuid = Air.uuid

    private func settings(_ change: (inout GatewaySettings) -> Void = { _ in }) throws -> GatewaySettings {
        var settings = try Settings.visitors(
            """
            [[region]]
            id = "carts"
            uuid = "\(Air.otherUUID)"
            expand = "minor"
            [beacons]
            """
        ).gateway
        change(&settings)
        return settings
    }

    /// Returns three visitors and a cart. The quarter ends at 400 s of a story.
    private var air: Air {
        var air = Air(othersUntil_s: 2_000)
        air.threeVisitors()
        air.beacon(.beacon(1, 1, uuid: Air.otherUUID), from: .fixed(9), every_s: 1, start_s: 20, end_s: 300)
        return air
    }

    @Test("Only counts leave the engine, and the visits in them are those of the full mode")
    func counts() throws {
        let (_, outputs) = air.played(try settings())
        let counts = outputs.compactMap { $0.content(VisitCount.self) }
        #expect(counts.compactMap(\.entered).reduce(0, +) == 3)
        #expect(counts.compactMap(\.left).reduce(0, +) == 3)
        #expect(counts.flatMap(\.dwell) == [VisitCount.Dwell(from_s: 60, visits: 3)])
        #expect(counts.first?.region == "visitors")
        #expect(Int64(counts.last?.to.microseconds ?? 1) % 1_000 == 0)
        // The cart is there as ever.
        let said = "\(outputs)"
        #expect(said.contains("carts") && said.contains(Air.otherUUID.description))
        for secret in [uuid.description, "major: 7", "minor: 2", "\(0b01 << 46 | 2)"] {
            #expect(!said.contains(secret))
        }
    }

    @Test("No figure grows because a person came")
    func figures() throws {
        let cart = air.inOrder
        var without = Air()
        for transmission in cart where !isOfPeople(transmission.event) {
            without.event(transmission.event, at: transmission.t_s)
        }
        let (with, alone) = (air.played(try settings()).0.figures, without.played(try settings()).0.figures)
        #expect(with.tracks == alone.tracks && with.listedTracks == alone.listedTracks)
        #expect(with.instances == alone.instances && with.instances == 1)
        #expect(with.reports == alone.reports && with.beacons == alone.beacons)
    }

    private func isOfPeople(_ event: [UInt8]) -> Bool {
        let wanted = IBeaconFrame(identity: .beacon(), measuredPower_dbm: 0).encodedStructure[6..<22]
        return event.indices.contains { event[$0...].starts(with: wanted) }
    }

    @Test("No wrong level, rotation or crowd of people is a figure: it would show that one person is there")
    func suspicions() throws {
        var air = Air()
        for number in 1...2 {
            let shelf = BeaconIdentity.beacon(1, UInt16(number), uuid: Air.otherUUID)
            air.beacon(shelf, from: .fixed(UInt64(number)), every_s: 0.2, start_s: 0, end_s: 200)
        }
        for step in 0..<900 {
            let t_s = 0.1 + 0.2 * Double(step)
            air.beacon(.beacon(7, 1), from: .fixed(7), at: t_s)
            air.beacon(.beacon(7, 2), from: .rotating(UInt64(100 + step)), rssi_dbm: 10, at: t_s)
        }
        let figures = air.played(try settings(), stops: false).0.figures
        #expect(figures.suspectReadings.isEmpty && figures.suspectedSpoofing.isEmpty)
        var full = try settings()
        full.regions = try Settings.parse(
            "[[region]]\nid = \"all\"\nuuid = \"\(uuid)\"\nexpand = \"minor\""
        ).gateway.regions
        let named = air.played(full, stops: false).0.figures
        #expect(!named.suspectedSpoofing.isEmpty, "without people the same air is one")
    }

    @Test("Reports count the same with people, also with many frames in one packet, or one frame in two pieces")
    func reportsOfPackets() throws {
        var air = Air()
        air.beacon(.beacon(1, 1, uuid: Air.otherUUID), from: .fixed(1), every_s: 0.5, start_s: 0, end_s: 100)
        let alone = air.played(try settings(), stops: false).0.figures
        let frames = (1...8).map { UInt16($0) }.flatMap {
            IBeaconFrame(identity: .beacon(7, $0), measuredPower_dbm: -59).encodedStructure
        }
        func piece(_ data: ArraySlice<UInt8>, isLast: Bool, at t_s: Double) {
            var report = AdvertisingReport(isExtended: true, eventType: 0, address: .fixed(7), rssi_dbm: -60)
            if !isLast { report.dataStatus = .moreToCome }
            air.event(AdvertisingReportEncoder.event([(report, Array(data))]), at: t_s)
        }
        for step in 0..<100 {
            piece(frames[...], isLast: true, at: 0.1 + Double(step))
            piece(frames[..<14], isLast: false, at: 0.2 + Double(step))
            piece(frames[14..<27], isLast: true, at: 0.3 + Double(step))
        }
        let with = air.played(try settings(), stops: false).0.figures
        #expect([with.reports, with.beacons] == [alone.reports, alone.beacons])
    }

    @Test("Who left is forgotten within minutes")
    func forgets() throws {
        let (engine, _) = air.played(try settings(), stops: false)
        #expect(
            engine.presence.tracker.knownIdentities.allSatisfy {
                engine.presence.tracker.identity(in: $0)?.uuid != uuid
            })
        let instances = engine.presence.monitor.instances
        let ids = instances.slots.map { instances[$0].id }.filter { instances.slot(of: $0) != nil }
        #expect(ids.holdForAll { $0.region != "visitors" })
    }

    @Test("No request is answered with who is there, and none registers a region beside it")
    func requests() throws {
        let gateway = Conversation(try settings(), air)
        #expect(gateway.ask(.state(StateRequest(region: "visitors")), at: 60)?.refusal == .invalidRequest)
        #expect(gateway.ask(.range(region: "visitors", .minor(major: 7, minor: 1)), at: 61)?.refusal == .invalidRequest)
        #expect(gateway.ask(.state(StateRequest()), at: 62)?.states == ["inside carts/1/1 since 20.0"])
        #expect(
            try gateway.monitor("door", at: 63)?.text
                == "region.uuid = \"\(uuid)\": " + RegionSettings.requirement(sharing: "visitors")
        )
        #expect(try gateway.monitor("door", "\"people\": true", at: 64)?.refusal == .invalidRegion)
    }

    private func keeps(_ engine: GatewayEngine, _ event: [UInt8]) -> Bool { engine.mayKeep(event.span) }

    @Test("A capture keeps only the advertisements of other iBeacons")
    func captures() throws {
        let (engine, _) = air.played(try settings())
        let (person, cart) = (Air.event(.beacon(7, 1)), Air.event(.beacon(1, 1, uuid: Air.otherUUID)))
        #expect(!keeps(engine, person))
        #expect(keeps(engine, cart))
        let other = Air(othersUntil_s: 0)
        #expect(!keeps(engine, other.inOrder[0].event), "it may be a person's device")
        #expect(keeps(engine, CommandCompleteEvent(opcode: .reset, returnParameters: [0]).octets))
        #expect(!keeps(engine, []))
        let plain = GatewaySettings.door()
        #expect(keeps(other.played(plain).0, other.inOrder[0].event))
    }

    @Test("A record of an earlier configuration is not restored")
    func restoresNothing() throws {
        let story = Story(
            .door { $1.expansion = .minor }, air)
        let records = story.stored.values.map { record in
            RegionRecord(
                instance: RegionInstanceID(region: "visitors", record.instance.discriminator), record.kind,
                record.occupancy)
        }
        #expect(!records.isEmpty)
        let later = Story(try settings(), Air(), restoring: Array(records), until_s: 60)
        #expect(later.transitions.isEmpty)
    }
}
