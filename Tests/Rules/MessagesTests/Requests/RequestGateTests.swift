import Testing

@testable import Core

@Suite("The gate for requests")
struct RequestGateTests {
    private let topics = TopicTree(prefix: "beacons", site: "store", gateway: "gw")

    private func request(
        _ verb: String = "state", _ text: String? = "{}", isRetained: Bool = false, responseTopic: String? = nil,
        correlationData: [UInt8]? = nil
    ) -> IncomingMessage {
        IncomingMessage(
            topic: "beacons/store/gw/request/" + verb,
            payload: text.map { .bytes(Array($0.utf8)) } ?? .oversize(length: 5_000), isRetained: isRetained,
            responseTopic: responseTopic, correlationData: correlationData)
    }

    private func decide(_ request: IncomingMessage) -> RequestGate.Decision {
        var gate = RequestGate(topics: topics)
        return gate.admit(request, at: .origin)
    }

    /// Returns the response topic of a request that is carried out.
    private func accepted(_ request: IncomingMessage, sparing trees: [String] = []) -> String? {
        var gate = RequestGate(topics: topics, sparing: trees)
        guard case .carryOut(_, let address) = gate.admit(request, at: .origin) else { return nil }
        return address.topic
    }

    private func refusal(_ request: IncomingMessage) -> (code: RequestError.Code, topic: String)? {
        guard case .refuse(let error, let address) = decide(request) else { return nil }
        return (error.code, address.topic)
    }

    @Test("An answer goes to the response topic of the verb, or to the requester's own with its correlation data")
    func addresses() {
        #expect(
            decide(request())
                == .carryOut(
                    .state(StateRequest()), ReplyAddress(verb: "state", topic: "beacons/store/gw/response/state")))
        #expect(
            decide(request(responseTopic: "replies/me", correlationData: [1, 0, 255]))
                == .carryOut(
                    .state(StateRequest()),
                    ReplyAddress(verb: "state", topic: "replies/me", correlationData: [1, 0, 255])))
    }

    @Test("A retained request is refused, with any content")
    func retained() {
        #expect(refusal(request("state", isRetained: true))?.code == .retainedRequest)
        #expect(refusal(request("nonsense", "x", isRetained: true))?.code == .retainedRequest)
    }

    @Test("An empty request is refused; an empty retained one clears a request, and gets no answer")
    func empty() {
        #expect(refusal(request("state", ""))?.code == .malformedJSON)
        #expect(decide(request("state", "", isRetained: true)) == .drop)
        var gate = RequestGate(topics: topics)
        _ = gate.admit(request("stop", "", isRetained: true), at: .origin)
        #expect(gate.floodCount == 0)
    }

    @Test("A payload of 4 KiB is read, a longer one refused")
    func size() {
        let padding = String(repeating: " ", count: 4_094)
        #expect(refusal(request("state", "{" + padding + "}")) == nil)
        #expect(refusal(request("state", "{ " + padding + "}"))?.code == .tooLarge)
        #expect(refusal(request("state", nil))?.code == .tooLarge)
    }

    @Test("An unknown verb is refused on its own response topic; one that is no plain word on a common one")
    func verbs() {
        #expect(refusal(request("reboot"))?.code == .unknownVerb)
        #expect(refusal(request("reboot"))?.topic == "beacons/store/gw/response/reboot")
        for verb in ["", "State", "a b", "\u{7}", "é", String(repeating: "a", count: 33)] {
            #expect(refusal(request(verb))?.topic == "beacons/store/gw/response/unknown", "\(verb)")
        }
    }

    @Test(
        "A response topic with a wildcard, a control character or a place in the gateways' own tree is refused",
        arguments: [
            "", "a/+", "#", "a\u{0}", "a\nb", "$SYS/a", "beacons", "beacons/store/gw", "beacons/store/gw/status",
            "beacons/store/gw/region/carts/state", "beacons/store/gw/request/stop", "beacons/store/gw/response",
            "beacons/store/other/status", "beacons/elsewhere/gw/gap", String(repeating: "a", count: 1_025),
            String(repeating: "/", count: 200),
            "beacons/store/gw/response" + String(repeating: "/a", count: 197),
        ])
    func forbiddenTopics(_ topic: String) {
        let refused = refusal(request(responseTopic: topic, correlationData: [7]))
        #expect(refused?.code == .invalidResponseTopic)
        #expect(refused?.topic == "beacons/store/gw/response/state")
        guard case .refuse(_, let address) = decide(request(responseTopic: topic, correlationData: [7])) else { return }
        #expect(address.correlationData == [7])
    }

    @Test(
        "A response topic at or below a tree of another format is refused",
        arguments: [
            "owntracks/fleet/van-7", "owntracks/fleet/van-7/event", "owntracks/fleet/van-7/a/b",
            "homeassistant", "homeassistant/sensor/a/b/config", "homeassistant/status",
        ])
    func foreignTopics(_ topic: String) {
        var gate = RequestGate(topics: topics, sparing: ["homeassistant", "owntracks/fleet/van-7"])
        guard case .refuse(let error, let address) = gate.admit(request(responseTopic: topic), at: .origin) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .invalidResponseTopic)
        #expect(
            error.text.hasSuffix(
                "it must not be homeassistant, nor below it; it must not be owntracks/fleet/van-7, nor below it"))
        #expect(address.topic == "beacons/store/gw/response/state")
    }

    @Test(
        "A response topic beside such a tree is used",
        arguments: ["owntracks/fleet/van-70", "owntracks/fleet", "homeassistants/a"])
    func besideForeignTopics(_ topic: String) {
        let trees = ["homeassistant", "owntracks/fleet/van-7"]
        #expect(accepted(request(responseTopic: topic), sparing: trees) == topic)
    }

    @Test(
        "A response topic with a noncharacter is refused: a broker may disconnect on it",
        arguments: [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF] as [UInt32])
    func nonCharacters(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(refusal(request(responseTopic: "replies/\(scalar)"))?.code == .invalidResponseTopic)
    }

    @Test(
        "Any other response topic is used",
        arguments: [
            "a", "/", "replies/me", "beaconsx/a", "beacons/store/gw/response/me/1",
            String(repeating: "a", count: 200), String(repeating: "/", count: 199),
            "beacons/store/gw/response" + String(repeating: "/a", count: 80),
        ])
    func allowedTopics(_ topic: String) {
        #expect(accepted(request(responseTopic: topic)) == topic)
    }

    @Test("Correlation data of more than 256 bytes is refused and not sent back")
    func correlation() {
        guard
            case .refuse(let error, let address) = decide(
                request(correlationData: [UInt8](repeating: 1, count: 257)))
        else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .invalidResponseTopic)
        #expect(address.correlationData == nil)
    }

    @Test("Twenty requests at once are accepted, then ten a second")
    func rate() {
        var gate = RequestGate(topics: topics)
        func taken(_ count: Int, at instant: Instant) -> Int {
            (0..<count).count { _ in
                if case .carryOut = gate.admit(request(), at: instant) { true } else { false }
            }
        }
        let start = Instant(microseconds: 5_000_000)
        #expect(taken(50, at: start) == 20)
        #expect(taken(50, at: start + .milliseconds(99)) == 0)
        #expect(taken(50, at: start + .milliseconds(100)) == 1)
        #expect(taken(50, at: start + .seconds(1.1)) == 10)
        #expect(taken(50, at: start + .seconds(100)) == 20)
    }

    @Test("Malformed requests count for the rate too")
    func malformedCounts() {
        var gate = RequestGate(topics: topics)
        for _ in 0..<20 { _ = gate.admit(request("nonsense", "x", responseTopic: "#"), at: .origin) }
        guard case .refuse(let error, _) = gate.admit(request(), at: .origin) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .tooManyRequests)
    }

    @Test("In a flood, every request beyond the rate is counted, and one a second is answered")
    func flood() {
        var gate = RequestGate(topics: topics)
        var answers = 0
        // 10 000 requests in ten seconds.
        for number in 0..<10_000 {
            let now = Instant(microseconds: Int64(number) * 1_000)
            if case .refuse = gate.admit(request(), at: now) { answers += 1 }
        }
        #expect(gate.floodCount == 10_000 - 20 - 99)
        #expect(answers == 10)
    }
}
