import Testing

@testable import Core

@Suite("A region of the store is inside while any gateway that can hear has it inside")
struct PresenceTests {
    @Test("A hand-over between gateways makes no event")
    func handOver() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.enter("b", at: 20)
        store.exit("a", entered_s: 10, heard_s: 25, at: 30)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("The store is left leave_after_s after the last gateway's exit; the stay ends with the last report")
    func exit() throws {
        var store = try Store("[site]\nleave_after_s = 7")
        store.enter("a", at: 10)
        store.enter("b", at: 12)
        store.exit("b", entered_s: 12, heard_s: 40, at: 45)
        store.exit("a", entered_s: 10, heard_s: 30, at: 50)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 57.0 by a"])
        #expect(store.stays.map { Store.tenths($0.lastHeardAt) } == ["40.0"])
        #expect(store.stays.map { Store.tenths($0.enteredAt) } == ["10.0"])
    }

    @Test("A beacon heard by another gateway within leave_after_s has not left")
    func gap() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.exit("a", entered_s: 10, heard_s: 20, at: 30)
        store.enter("b", at: 34)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("A beacon there without an entry was there before: a state and no event, and its stay is partial")
    func atTheStart() throws {
        var store = try Store()
        store.state("a", "inside", at: 1)
        store.exit("a", entered_s: 1, heard_s: 20, at: 30)
        store.advance(to: 100)
        #expect(store.states == ["inside carts 1.0", "outside carts 35.0"])
        #expect(store.events == ["exit carts 35.0 by a"])
        #expect(store.stays.map(\.beginning) == [.partial])
    }

    @Test("The region is outside once every gateway that has spoken of it is")
    func outside() throws {
        var store = try Store()
        store.state("a", "unknown", at: 0)
        store.state("b", "unknown", at: 0)
        store.state("a", "outside", at: 10)
        #expect(store.states == ["unknown carts 0.0"])
        store.state("b", "outside", at: 11)
        #expect(store.states == ["unknown carts 0.0", "outside carts 11.0"])
    }

    @Test("Each instance of an expanded region is separate, also in the store")
    func expanded() throws {
        var store = try Store()
        store.enter("a", "carts/1/7", minor: 7, at: 10)
        store.enter("a", "carts/1/8", minor: 8, at: 11)
        #expect(store.events == ["enter carts/1/7 10.0 by a", "enter carts/1/8 11.0 by a"])
    }

    @Test("Only the configured regions are joined")
    func regions() throws {
        var store = try Store("[site]\nregions = [\"carts\"]")
        store.enter("a", "staff", at: 10)
        store.enter("a", "carts", at: 11)
        #expect(store.events == ["enter carts 11.0 by a"])
    }

    @Test("If the gateways' exits make no events, neither do the store's")
    func noExits() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.state("a", "outside", at: 30)
        store.advance(to: 100)
        #expect(store.states == ["inside carts 10.0", "outside carts 35.0"])
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("An exit with an event among the gateways' exits makes one of the store: exits are switched on")
    func someExits() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.enter("b", at: 15)
        store.exit("a", entered_s: 10, heard_s: 20, at: 30)
        store.state("b", "outside", at: 40)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 45.0 by b"])
        store.enter("b", at: 200)
        store.state("b", "outside", seq: 9, at: 220)
        store.advance(to: 300)
        #expect(store.events.last == "exit carts 225.0 by b")
        store.enter("b", seq: 10, at: 310)
        store.state("b", "outside", at: 330)
        store.advance(to: 400)
        #expect(store.events.last == "enter carts 310.0 by b")
    }

    @Test("A gateway that stops monitoring a region drops out; the last one ends the stay")
    func unmonitored() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.enter("b", at: 11)
        store.exit("a", entered_s: 10, heard_s: 20, extra: #","unmonitored":true"#, at: 20)
        #expect(store.events == ["enter carts 10.0 by a"])
        store.exit("b", entered_s: 11, heard_s: 30, extra: #","unmonitored":true"#, at: 30)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a"])
        #expect(store.hasEnded && store.hasForgotten)
    }

    @Test("A cleared state means that the gateway does not monitor the region any more")
    func cleared() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.say("a", "region/carts/state", "", at: 2)
        #expect(store.hasForgotten)
    }

    @Test("A circle contains one gateway, and is not joined")
    func circle() throws {
        var store = try Store()
        store.say(
            "van", "region/depot/state",
            #"{"schema":1,"at":"2026-11-18T12:26:40.000Z","clock":"synced","epoch":"E","region":"depot","center":{"latitude":52.5,"longitude":13.4},"radius_m":150,"state":"inside","since":"2026-11-18T12:26:40.000Z","event_seq":0}"#,
            at: 1)
        #expect(store.outputs.isEmpty && store.refusals.isEmpty)
    }

    @Test("The exit names the beacon of the entry, so that a visit has both ends, and the gateway that decided it")
    func exitOfTheEntry() throws {
        var store = try Store()
        store.enter("a", minor: 1, at: 10)
        store.exit("a", minor: 2, entered_s: 10, heard_s: 20, at: 25)
        store.advance(to: 60)
        #expect(store.identities.map(\.minor) == [1, 1])
    }

    @Test("An exit because a gateway stops monitoring a region tells that gateway's last report")
    func unmonitoredUntil() throws {
        var store = try Store()
        store.state("b", "outside", at: 1)
        store.enter("a", at: 20)
        store.exit("a", entered_s: 20, heard_s: 35, extra: #","unmonitored":true"#, at: 40)
        store.advance(to: 100)
        #expect(store.events.last?.hasPrefix("exit carts 40.0") == true)
        #expect(store.stays.map { Store.tenths($0.lastHeardAt) } == ["35.0"])
    }

    @Test("A gateway that is replaced clears its state and enters again: that is one visit")
    func replaced() throws {
        var store = try Store()
        store.state("b", "outside", at: 1)
        store.enter("a", at: 20)
        store.say("a", "region/carts/state", "", at: 40)
        store.enter("a", seq: 1, epoch: "F", at: 40.1)
        store.exit("a", entered_s: 40.1, heard_s: 50, seq: 2, epoch: "F", at: 55)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 20.0 by a", "exit carts 60.0 by a"])
    }

    @Test("A message with another region than its topic is no news, and is counted")
    func unlikeItsTopic() throws {
        var store = try Store()
        store.say(
            "a", "region/carts/1/2/event",
            #"{"schema":1,"at":"2026-11-18T10:00:00.000Z","clock":"synced","site":"store","gateway":"a","epoch":"E","seq":1,"type":"enter","#
                + #""region":"carts","uuid":"\#(Store.uuid)","major":1,"minor":3,"rssi_dbm":-60,"accuracy_m":2,"accuracy_error_m":1,"proximity":"near"}"#,
            at: 10)
        #expect(store.refusals.count == 1 && store.events == [])
    }

    @Test("A list with a beacon that does not belong to its instance is refused")
    func listOfAnotherInstance() throws {
        var store = try Store()
        store.enter("a", "carts/1/7", minor: 7, at: 10)
        store.list("a", [7: -60, 8: -50], "carts/1/7", at: 11)
        store.list("a", [7: -60], "carts/1/7", at: 12)
        store.advance(to: 20)
        #expect(store.refusals.count == 1)
        #expect(store.listed?.beacons.map(\.identity.minor) == [7])
    }

    @Test("Of two gateways with one region id and two UUIDs the second is refused, and the log names both")
    func twoUUIDs() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.state("b", "inside", seq: 0, at: 11)
        Self.enterOther(&store, "b", seq: 1, at: 12)
        store.state("b", "inside", since_s: 12, seq: 1, at: 12.1)
        store.exit("a", entered_s: 10, heard_s: 19, at: 20)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 25.0 by a"])
        #expect(store.notices.count == 1 && store.notices.first?.contains("\"b\" monitors UUID FFFFFFFF-2900") == true)
        #expect(store.engine.figures.malformed == 2)
    }

    @Test("A message with another UUID of the first gateway ends no other gateway's visit: the UUID of both counts")
    func firstGatewayErrs() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.enter("b", minor: 2, at: 11)
        Self.enterOther(&store, "a", seq: 9, at: 12)
        store.exit("b", minor: 2, entered_s: 11, heard_s: 29, at: 30)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 35.0 by b"] && !store.hasEnded)
        #expect(store.notices.count == 1 && store.notices.first?.contains("\"a\" monitors UUID FFFFFFFF-2900") == true)
        #expect(store.engine.figures.malformed == 1)
    }

    @Test("Gateways may change a region's UUID one after the other: the last one decides")
    func everyGatewayChanges() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.enter("b", at: 11)
        Self.enterOther(&store, "a", seq: 9, at: 20)
        Self.enterOther(&store, "b", seq: 9, at: 30)
        Self.enterOther(&store, "a", seq: 10, at: 40)
        #expect(store.engine.figures.malformed == 1)
        store.enter("b", at: 50)
        #expect(store.engine.figures.malformed == 2)
    }

    @Test("Once no gateway has the UUID that counted, messages without one of the refused gateway are accepted")
    func lastOwnerGone() throws {
        let uuid = try #require(ProximityUUID("39ED98FF-2900-441A-802F-9C398FC199D2"))
        let other = try #require(ProximityUUID("FFFFFFFF-2900-441A-802F-9C398FC199D2"))
        let (a, b) = (GatewayIndex(0), GatewayIndex(1))
        var uuids = RegionUUIDs()
        func decide(_ gateway: GatewayIndex, _ uuid: ProximityUUID?) -> RegionUUIDs.Decision {
            uuids.decide(gateway, region: "carts", uuid, limit: 1)
        }
        #expect(decide(a, uuid) == .accepted)
        #expect(decide(b, other) == .newlyRefused(agreed: a, uuid))
        #expect(decide(b, other) == .refused && decide(b, nil) == .refused)
        uuids.remove(a, region: "carts")
        #expect(decide(b, nil) == .accepted && decide(b, other) == .accepted)
        #expect(decide(a, uuid) == .newlyRefused(agreed: b, other))
    }

    /// A gateway's entry of a beacon with another UUID.
    private static func enterOther(_ store: inout Store, _ gateway: String, seq: Int, at t_s: Double) {
        let other = "ffffffff-2900-441a-802f-9c398fc199d2"
        store.say(
            gateway, "region/carts/event",
            #"{"schema":1,"at":"\#(Timestamp.text(Store.start + .seconds(t_s)))","clock":"synced","site":"store","gateway":"\#(gateway)","epoch":"E","seq":\#(seq),"type":"enter","#
                + #""region":"carts","uuid":"\#(other)","major":1,"minor":1,"rssi_dbm":-60,"accuracy_m":2,"accuracy_error_m":1,"proximity":"near"}"#,
            at: t_s)
    }
}
