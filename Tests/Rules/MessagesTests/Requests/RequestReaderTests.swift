import Testing

@testable import Core

@Suite("Requests")
struct RequestReaderTests {
    private func read(_ verb: RequestVerb, _ text: String) throws(RequestError) -> Request {
        try RequestReader.read(verb, Array(text.utf8))
    }

    private func refusal(_ verb: RequestVerb, _ text: String) -> RequestError? {
        do throws(RequestError) {
            _ = try read(verb, text)
            return nil
        } catch {
            return error
        }
    }

    @Test("A state request names an instance, a region, or nothing for all of them")
    func state() throws {
        #expect(
            try read(.state, #"{"region":"carts","major":1,"minor":7}"#)
                == .state(StateRequest(region: "carts", major: 1, minor: 7)))
        #expect(try read(.state, #"{"region":"carts"}"#) == .state(StateRequest(region: "carts")))
        #expect(try read(.state, #"{"limit":10,"next":20}"#) == .state(StateRequest(limit: 10, start: 20)))
        #expect(try read(.state, "{}") == .state(StateRequest()))
    }

    @Test("A range request names one instance, a stop request one region")
    func rangeAndStop() throws {
        #expect(
            try read(.range, #"{"region":"carts","major":1}"#) == .range(region: "carts", .major(1)))
        #expect(try read(.stop, #"{"region":"carts"}"#) == .stop(region: "carts"))
    }

    @Test("A location request waits for 30 s, or for its own timeout: 1 to 300 s")
    func location() throws {
        #expect(try read(.location, "{}") == .location(timeout: .seconds(30)))
        #expect(try read(.location, #"{"timeout_s":1}"#) == .location(timeout: .seconds(1)))
        #expect(try read(.location, #"{"timeout_s":300}"#) == .location(timeout: .seconds(300)))
        for text in [#"{"timeout_s":0.9}"#, #"{"timeout_s":300.1}"#, #"{"timeout_s":"30"}"#, #"{"region":"carts"}"#] {
            #expect(refusal(.location, text)?.code == .invalidRequest)
        }
    }

    @Test("An integer counts by its value in any notation, as in JSON Schema")
    func integers() throws {
        let instance = Request.range(region: "carts", .minor(major: 100, minor: 0))
        for (major, minor) in [("100", "0"), ("100.0", "-0"), ("1e2", "0.0"), ("1.00E+2", "0e5")] {
            #expect(try read(.range, "{\"region\":\"carts\",\"major\":\(major),\"minor\":\(minor)}") == instance)
        }
    }

    @Test("A monitor request keeps its keys and its own text")
    func monitor() throws {
        let text = #" {"id":"carts", "exit_after_s":2.5} "#
        guard case .monitor(let definition) = try read(.monitor, text) else {
            Issue.record("not a monitor request")
            return
        }
        #expect(definition.entries == ["id": .string("carts"), "exit_after_s": .number(2.5)])
        #expect(definition.text == Array(text.utf8))
        #expect(StoredDefinition.read(definition.text, key: StoredDefinition.key("carts")) == definition)
        #expect(StoredDefinition.read(definition.text, key: "carts") == nil)
    }

    @Test("A definition and a state of one region are stored under different keys")
    func keys() {
        #expect(StoredDefinition.key("carts") != StoredRegion.key(RegionInstanceID(region: "carts")))
        #expect(StoredDefinition.key("carts") != StoredRegion.key(RegionInstanceID(region: "monitor", .major(1))))
    }

    @Test("Unknown, missing and mistyped keys and values out of range are refused, and the text names the key")
    func invalid() {
        let cases: [(RequestVerb, String, String)] = [
            (.state, #"{"regoin":"carts"}"#, "\"regoin\": unknown key; known are region, major, minor, limit, next"),
            (.state, #"{"region":7}"#, "\"region\": must be text, not an integer"),
            (.state, #"{"region":null}"#, "\"region\": must not be null; leave the key out"),
            (.state, #"{"major":1}"#, "\"major\": needs a region beside it"),
            (.state, #"{"region":"carts","minor":1}"#, "\"minor\": needs a major beside it"),
            (.state, #"{"limit":257}"#, "\"limit\": must be from 1 to 256"),
            (.state, #"{"limit":0}"#, "\"limit\": must be from 1 to 256"),
            (.state, #"{"next":-1}"#, "\"next\": must be from 0 to 2147483647"),
            (.range, #"{}"#, "\"region\": is missing; must be the id of a region"),
            (.range, #"{"region":"carts","major":65536}"#, "\"major\": must be from 0 to 65535"),
            (.range, #"{"region":"carts","major":1.5}"#, "\"major\": must be an integer, not a number with a fraction"),
            (.range, #"{"region":"carts","major":65536.0}"#, "\"major\": must be from 0 to 65535"),
            (.state, #"{"limit":9223372036854775808}"#, "\"limit\": must be from 1 to 256"),
            (.state, #"{"limit":-9223372036854775809}"#, "\"limit\": must be from 1 to 256"),
            (.state, #"{"next":1e300}"#, "\"next\": must be from 0 to 2147483647"),
            (.stop, #"{"region":1e300}"#, "\"region\": must be text, not an integer"),
            (.range, #"{"region":"carts","major":"1"}"#, "\"major\": must be an integer, not text"),
            (.stop, #"{"region":"carts","major":1}"#, "\"major\": unknown key; known are region"),
            (.stop, #"[]"#, "a request must be a JSON object, not a list"),
            (.monitor, #"{"id":"carts","major":null}"#, "\"major\": must not be null; leave the key out"),
            (.monitor, #""carts""#, "a request must be a JSON object, not text"),
        ]
        for (verb, text, complaint) in cases {
            #expect(refusal(verb, text) == RequestError(.invalidRequest, complaint), "\(text)")
        }
    }

    @Test("An empty request is no JSON object, and the refusal shows one", arguments: RequestVerb.allCases)
    func empty(_ verb: RequestVerb) {
        #expect(
            refusal(verb, "")
                == RequestError(.malformedJSON, "the request is empty; it must be a JSON object, {} at least"))
    }

    @Test("Broken JSON is refused with the place of the error")
    func malformed() {
        #expect(
            refusal(.stop, #"{"region": "carts""#)
                == RequestError(.malformedJSON, "not valid JSON: at byte 18: expected , or }"))
        #expect(refusal(.monitor, "")?.code == .malformedJSON)
    }
}
