import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("Regions that requests register and end, in the outbox")
struct RequestedRegionTests {
    private let outbox: Outbox
    private let dispatcher: Dispatcher
    private let topic = "beacons/store/gate/region/door/state"

    init() throws {
        outbox = try Outbox.inMemory()
        dispatcher = Dispatcher(outbox, .of(), .november)
    }

    private func registered() throws -> GatewayOutput {
        let text = "{\"id\":\"door\",\"uuid\":\"39ED98FF2900441A802F9C398FC199D2\"}"
        return .registered(try RegionDefinition(text: Array(text.utf8)), region: "door", at: .origin)
    }

    private func state(_ state: RegionState) -> GatewayOutput { .change(RegionInstanceID(region: "door"), state) }

    private var unregistered: GatewayOutput {
        .unregistered(region: "door", instances: [RegionInstanceID(region: "door")], at: .origin)
    }

    @Test("A definition is stored with its first state")
    func stored() throws {
        _ = try dispatcher.dispatch([registered(), state(.outside)], .november)
        let stored = StoredState(outbox, .november, bootID: "boot")
        #expect(stored.definitions.map(\.id) == ["door"])
        #expect(stored.regions.map(\.record.instance.region) == ["door"])
    }

    @Test("The end of a region clears its topic, and deletes its record once the broker has cleared it")
    func ended() throws {
        _ = try dispatcher.dispatch([registered(), state(.inside)], .november)
        let said = try dispatcher.dispatch([unregistered], .november)
        let message = try #require(said.messages.first)
        #expect(message.topic == topic)
        #expect(message.payload.isEmpty && message.isRetained)
        var stored = StoredState(outbox, .november, bootID: "boot")
        #expect(stored.definitions.isEmpty && stored.regions.isEmpty)
        // A process that starts before the broker has cleared the topic still knows that it must be cleared.
        var outputs: [GatewayOutput] = []
        let engine = GatewayEngine(Settings.defaults.gateway, radioSees: false, at: .origin, outputs: &outputs)
        stored.abandon(unless: { engine.holds($0) }, goingOn: { engine.holds($0) })
        #expect(stored.abandoned.map(\.region) == ["door"])
        try dispatcher.tidy(clearedTopics: [topic])
        #expect(outbox.records().isEmpty)
    }

    @Test("A region that is registered again before its topic was cleared keeps its new state")
    func registeredAgain() throws {
        _ = try dispatcher.dispatch([registered(), state(.inside)], .november)
        _ = try dispatcher.dispatch([unregistered, registered(), state(.outside)], .november)
        try dispatcher.tidy(clearedTopics: [topic])
        let stored = StoredState(outbox, .november, bootID: "boot")
        #expect(stored.definitions.map(\.id) == ["door"])
        #expect(stored.regions.map(\.record.isInside) == [false])
    }

    @Test("A region registered and ended in one transaction leaves no record")
    func atOnce() throws {
        _ = try dispatcher.dispatch([registered(), state(.inside), unregistered], .november)
        try dispatcher.tidy(clearedTopics: [topic])
        #expect(outbox.records().isEmpty)
    }

    @Test("An answer goes to its requester with its correlation data, and is not retained")
    func answer() throws {
        let address = ReplyAddress(verb: "state", topic: "replies/me", correlationData: [7])
        let status = RegionStatus(
            instance: RegionInstanceID(region: "door"), state: .inside, since: .origin + .seconds(1))
        let answer = Answer(address: address, at: .origin + .seconds(2), result: .states([status], next: 3))
        let said = try dispatcher.dispatch([.message(answer, at: answer.at)], .november)
        let message = try #require(said.messages.first)
        #expect(message.topic == "replies/me" && message.correlationData == [7] && !message.isRetained)
        #expect(
            String(decoding: message.payload, as: UTF8.self)
                == #"{"schema":1,"at":"2023-11-14T22:13:22.000Z","clock":"synced","request":"state","ok":true,"#
                + #""result":{"states":[{"region":"door","state":"inside","since":"2023-11-14T22:13:21.000Z","#
                + #""event_seq":0}],"next":3}}"#)
    }
}
