import TestAir
import Testing

@testable import Core

@Suite("Regions registered by request")
struct MonitorRequestTests {
    /// Returns a beacon heard all the time.
    private var air: Air {
        var air = Air()
        air.beacon(.beacon(1, 7), from: .fixed(1), start_s: 0.5, end_s: 60)
        return air
    }

    /// No region in the file.
    private let empty = Settings.defaults.gateway

    @Test("The new region is unknown first, and a beacon already there has not entered")
    func settles() throws {
        let gateway = Conversation(empty, air)
        #expect(try gateway.monitor("door", at: 20) == .monitoring(region: "door"))
        gateway.hear(until_s: 100)
        #expect(gateway.states == ["unknown door 20.0", "inside door 20.1", "outside door 80.0"])
        #expect(gateway.events == ["exit door 80.0"])
    }

    @Test("A beacon first heard after settling enters, even one that was remembered")
    func enters() throws {
        var air = Air()
        air.beacon(.beacon(1, 7), from: .fixed(1), start_s: 1, end_s: 5)
        air.beacon(.beacon(1, 7), from: .fixed(1), start_s: 60, end_s: 62)
        let gateway = Conversation(empty, air)
        _ = try gateway.monitor("door", "\"settle_s\": 3, \"expand\": \"major\"", at: 30)
        #expect(gateway.states == [], "an instance for a beacon that is not heard")
        gateway.hear(until_s: 61)
        #expect(gateway.events == ["enter door/1 60.0"])
    }

    @Test("Its beacons in range are listed at once")
    func rangedAtOnce() throws {
        let gateway = Conversation(empty, air)
        _ = try gateway.monitor("door", at: 20)
        #expect(gateway.ask(.range(region: "door", .whole), at: 20)?.ranging?.count == 1)
    }

    @Test("The definition to store comes before the answer")
    func stored() throws {
        let gateway = Conversation(empty)
        _ = try gateway.monitor("door", at: 1)
        let kinds = gateway.outputs.map { output in
            switch output {
            case .registered(_, region: "door", at: _): "registered"
            case .transition: "state"
            case .message where output.content(Answer.self) != nil: "answer"
            default: "other"
            }
        }
        #expect(kinds == ["registered", "state", "answer"])
    }

    @Test("Missing keys come from [regions]")
    func defaults() throws {
        var settings = empty
        settings.regions.rules.beacons.settle = .zero
        settings.regions.rules.beacons.exitAfter = .seconds(5)
        let gateway = Conversation(settings, air)
        _ = try gateway.monitor("door", at: 20)
        gateway.hear(until_s: 70)
        #expect(gateway.events == ["enter door 20.1", "exit door 65.0"])
    }

    @Test("A repeated request changes nothing; another definition of the id is refused")
    func again() throws {
        let gateway = Conversation(empty, air)
        _ = try gateway.monitor("door", at: 20)
        gateway.hear(until_s: 30)
        let before = gateway.states
        #expect(try gateway.monitor("door", at: 30) == .monitoring(region: "door"))
        #expect(try gateway.monitor("door", "\"major\": 2", at: 30)?.refusal == .regionExists)
        #expect(gateway.states == before)
    }

    @Test("An id of the file is refused, and so is stopping it")
    func configured() throws {
        let gateway = Conversation(.door())
        #expect(try gateway.monitor("door", at: 1)?.refusal == .configuredRegion)
        #expect(gateway.ask(.stop(region: "door"), at: 1)?.refusal == .configuredRegion)
    }

    @Test("An integer may be written as JSON writes one: 2.0 is the major 2")
    func integers() throws {
        let gateway = Conversation(empty)
        #expect(try gateway.monitor("door", "\"major\": 2.0, \"minor\": 7e0", at: 1) == .monitoring(region: "door"))
        #expect(try gateway.monitor("door", "\"major\": 2, \"minor\": 7", at: 1) == .monitoring(region: "door"))
    }

    @Test("Values that config.toml refuses are refused with its words")
    func invalid() throws {
        let gateway = Conversation(empty)
        let cases = [
            ("\"minor\": 7", "region.minor = 7: needs a major beside it"),
            ("\"exit_after_s\": 0", "region.exit_after_s = 0: must be from 1 to 86400"),
            ("\"major\": \"1\"", "region.major = \"1\": must be an integer (from 0 to 65535), not text"),
            (
                "\"major\": 1.5",
                "region.major = 1.5: must be an integer (from 0 to 65535), not a number with a fraction"
            ),
            ("\"major\": 65536.0", "region.major = 65536: must be from 0 to 65535"),
            ("\"major\": 9223372036854775808", "region.major = 9.223372036854776e+18: must be from 0 to 65535"),
            ("\"mayor\": 1", "region.mayor = 1: unknown key; did you mean major?"),
        ]
        for (keys, text) in cases {
            let answer = try gateway.monitor("door", keys, at: 1)
            #expect(answer?.refusal == .invalidRegion)
            #expect(answer?.text == text)
        }
        #expect(try gateway.monitor("a/b", at: 1)?.refusal == .invalidRegion)
        #expect(gateway.states == [])
    }

    @Test("Beyond max_regions and max_instances it is refused, and leaves nothing behind")
    func limits() throws {
        var settings = empty
        settings.regions.limits = RegionLimits(maxRegions: 2, maxInstances: 1)
        let gateway = Conversation(settings)
        #expect(try gateway.monitor("a", at: 1) == .monitoring(region: "a"))
        #expect(try gateway.monitor("b", at: 1)?.refusal == .regionMonitoringFailure)
        #expect(gateway.ask(.state(StateRequest(region: "b")), at: 1)?.refusal == .unknownRegion)
        #expect(try gateway.monitor("c", "\"expand\": \"major\"", at: 1) == .monitoring(region: "c"))
        let refused = try gateway.monitor("d", "\"expand\": \"major\"", at: 1)
        #expect(
            refused?.text
                == "regionMonitoringFailure: region \"d\" is not monitored: there are 2 already; raise regions.max_regions"
        )
    }

    @Test("A region refused by a lowered limit after a restart can be requested again, or stopped")
    func refusedAfterRestart() throws {
        let settings = GatewaySettings.door { settings, _ in settings.regions.limits.maxRegions = 1 }
        var promo = settings.regions.beacons[0]
        promo.id = "promo"
        let gateway = Conversation(settings, requested: [.beacon(promo)])
        #expect(try gateway.monitor("promo", at: 1)?.refusal == .regionMonitoringFailure)
        #expect(gateway.ask(.stop(region: "promo"), at: 2) == .stopped(region: "promo", instances: 0))
        #expect(gateway.ask(.stop(region: "promo"), at: 3)?.refusal == .unknownRegion)
    }

    @Test("After a restart it continues from its stored state")
    func restart() throws {
        let definition = try RegionDefinition(text: Array("{\"id\":\"door\",\"uuid\":\"\(Air.uuid)\"}".utf8))
        let record = RegionRecord.inside(
            RegionInstanceID(region: "door"), entered: .origin - .seconds(100), heard: .origin - .seconds(5), minor: 7)
        let gateway = Conversation(empty, air, requested: [try empty.regions.region(definition)], restoring: [record])
        gateway.hear(until_s: 10)
        #expect(gateway.events == [])
        #expect(gateway.ask(.state(StateRequest(region: "door")), at: 10)?.states == ["inside door since -100.0"])
        #expect(gateway.ask(.stop(region: "door"), at: 11) == .stopped(region: "door", instances: 1))
    }
}

@Suite("Regions stopped by request")
struct StopRequestTests {
    private var air: Air {
        var air = Air()
        air.beacon(.beacon(1, 7), from: .fixed(1), start_s: 0.5, end_s: 60)
        air.beacon(.beacon(2, 8), from: .fixed(2), start_s: 0.5, end_s: 60)
        return air
    }

    @Test("Each of its instances is named, and an open stay gets an exit with the reason")
    func ends() throws {
        let gateway = Conversation(Settings.defaults.gateway, air)
        _ = try gateway.monitor("door", "\"expand\": \"major\"", at: 1)
        gateway.hear(until_s: 5)
        #expect(gateway.ask(.stop(region: "door"), at: 5) == .stopped(region: "door", instances: 2))
        gateway.hear(until_s: 200)
        #expect(Set(gateway.states.suffix(2)) == ["gone door/1 5.0", "gone door/2 5.0"])
        #expect(gateway.events == ["end door/1 5.0 after 3.9", "end door/2 5.0 after 3.9"])
        #expect(gateway.engine.figures.instances == 0)
        #expect(gateway.ask(.stop(region: "door"), at: 200)?.refusal == .unknownRegion)
    }

    @Test("Where exits make no events, its end makes none")
    func endsSilently() throws {
        let gateway = Conversation(Settings.defaults.gateway, air)
        _ = try gateway.monitor("door", "\"notify_on_exit\": false", at: 1)
        #expect(gateway.ask(.stop(region: "door"), at: 5) == .stopped(region: "door", instances: 1))
        #expect(gateway.events == [])
    }

    @Test("Its ranging ends with it")
    func rangingEnds() throws {
        let gateway = Conversation(Settings.defaults.gateway, air)
        _ = try gateway.monitor("door", at: 1)
        gateway.hear(until_s: 5)
        _ = gateway.ask(.stop(region: "door"), at: 5)
        let before = gateway.outputs.count
        gateway.hear(until_s: 60)
        #expect(gateway.outputs.count == before)
    }

    @Test("Other regions of its beacons continue undisturbed")
    func othersGoOn() throws {
        let alone = Conversation(.door(), air)
        alone.hear(until_s: 100)
        let gateway = Conversation(.door(), air)
        _ = try gateway.monitor("till", at: 10)
        _ = try gateway.monitor("cart", "\"expand\": \"minor\"", at: 11)
        _ = gateway.ask(.stop(region: "till"), at: 20)
        _ = gateway.ask(.stop(region: "cart"), at: 21)
        gateway.hear(until_s: 100)
        #expect(gateway.events.filter { $0.contains("door") } == alone.events)
        #expect(gateway.states.filter { $0.contains("door") } == alone.states)
    }

    @Test("Its slots are reused: hundreds of regions come and go within the limits of a few")
    func reuse() throws {
        var settings = Settings.defaults.gateway
        settings.regions.limits = RegionLimits(maxRegions: 2, maxInstances: 3)
        let gateway = Conversation(settings, air)
        for round in 0..<200 {
            let t_s = 1 + Double(round) * 0.2
            #expect(
                try gateway.monitor("a\(round)", "\"expand\": \"minor\"", at: t_s) == .monitoring(region: "a\(round)"))
            #expect(try gateway.monitor("b\(round)", at: t_s) == .monitoring(region: "b\(round)"))
            gateway.hear(until_s: t_s + 0.15)
            #expect(
                gateway.ask(.stop(region: "a\(round)"), at: t_s + 0.15) == .stopped(region: "a\(round)", instances: 2))
            #expect(
                gateway.ask(.stop(region: "b\(round)"), at: t_s + 0.15) == .stopped(region: "b\(round)", instances: 1))
        }
        #expect(gateway.engine.figures.instances == 0)
        #expect(gateway.ask(.state(StateRequest()), at: 50)?.states == [])
    }

    @Test("A region in a reused slot has no data of the one before")
    func usedPlace() throws {
        var air = Air()
        air.beacon(.beacon(1, 7), from: .fixed(1), start_s: 0.5, end_s: 5)
        let gateway = Conversation(Settings.defaults.gateway, air)
        _ = try gateway.monitor("old", at: 1)
        _ = gateway.ask(.stop(region: "old"), at: 6)
        _ = try gateway.monitor("new", "\"settle_s\": 60", at: 6)
        gateway.hear(until_s: 100)
        #expect(gateway.states.filter { $0.contains("new") } == ["unknown new 6.0", "outside new 66.0"])
    }

    @Test("A refused instance gets the slot of a stopped one when its beacon is heard next")
    func roomForOthers() throws {
        var settings = Settings.defaults.gateway
        settings.regions.limits = RegionLimits(maxRegions: 4, maxInstances: 2)
        let gateway = Conversation(settings, air)
        _ = try gateway.monitor("a", at: 1)
        _ = try gateway.monitor("b", "\"expand\": \"minor\", \"settle_s\": 0", at: 1)
        gateway.hear(until_s: 2)
        #expect(gateway.engine.figures.instances == 2)
        #expect(gateway.engine.figures.refusedEntries.maxInstances == 1)
        _ = gateway.ask(.stop(region: "a"), at: 3)
        gateway.hear(until_s: 4)
        #expect(gateway.ask(.state(StateRequest(region: "b")), at: 4)?.states?.count == 2)
    }

    @Test("In a full table a beacon gives way once no region wants it, and stays once one does")
    func wanted() throws {
        var settings = Settings.defaults.gateway
        settings.tracker.maxTransmitters = 1
        var air = Air()
        air.beacon(.beacon(1, 7), from: .fixed(1), every_s: 0.5, start_s: 0.5, end_s: 60)
        air.beacon(
            BeaconIdentity(uuid: Air.otherUUID, major: 1, minor: 1), from: .fixed(2), every_s: 5, start_s: 10, end_s: 60
        )
        let gateway = Conversation(settings, air)
        let other = "{\"id\":\"other\",\"uuid\":\"\(Air.otherUUID)\"}"
        _ = gateway.ask(.monitor(try RegionDefinition(text: Array(other.utf8))), at: 1)
        _ = try gateway.monitor("door", at: 9)
        gateway.hear(until_s: 14.9)
        #expect(gateway.ask(.range(region: "door", .whole), at: 14.9)?.ranging?.count == 1)
        _ = gateway.ask(.stop(region: "door"), at: 14.9)
        #expect(gateway.ask(.range(region: "other", .whole), at: 15)?.ranging?.count == 1)
    }
}
