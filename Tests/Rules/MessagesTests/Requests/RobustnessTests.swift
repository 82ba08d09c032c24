import TestAir
import Testing

@testable import Core

/// Any request is read or refused. A trap would end the test run.
@Suite("No octets of a request trap")
struct RobustnessTests {
    static let requests = [
        #"{"region": "carts", "major": 1, "minor": 7, "limit": 256, "next": 12}"#,
        #"{"id":"c\u00e9\uD83D\uDE00\n","uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","entry_after_s":1.5e-3,"ranging":true}"#,
        #"{"a":[[1,-2.50],{"b":null}],"c":false,"é":"😀\\\/"}"#,
    ]

    /// Reads a request. A refusal has a text of one line.
    private func judge(_ octets: [UInt8], as verb: RequestVerb) {
        do throws(RequestError) {
            _ = try RequestReader.read(verb, octets)
        } catch {
            let isOneLine = !error.text.isEmpty && !error.text.utf8.contains { $0 < 0x20 }
            if !isOneLine { Issue.record("\(octets)") }
        }
    }

    @Test("A request cut off at any byte is refused")
    func truncation() {
        for request in Self.requests.map({ Array($0.utf8) }) {
            for length in 1..<request.count {
                let cut = Array(request[..<length])
                for verb in RequestVerb.allCases { judge(cut, as: verb) }
                #expect(throws: JSONError.self) { try JSONReader.read(cut) }
            }
        }
    }

    @Test("Mutated requests are read or refused")
    func mutations() {
        var random = SeededGenerator(seed: 11)
        let tokens = [
            "\"", "{", "}", "[", "]", ":", ",", "\\", "\\u", "\\uD83D", "-", "e", "1e400", "null", "\u{0}", "é",
        ]
        var readable = 0
        for round in 0..<20_000 {
            var octets = Array(Self.requests[round % Self.requests.count].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !octets.isEmpty {
                let place = Int.random(in: 0..<octets.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: octets[place] = UInt8.random(in: 0...255, using: &random)
                case 1: octets.remove(at: place)
                case 2: octets.insert(contentsOf: tokens.randomElement(using: &random)?.utf8 ?? "".utf8, at: place)
                case 3: octets.removeSubrange(place..<min(octets.count, place + 12))
                default:
                    let piece = octets[place..<min(octets.count, place + 20)]
                    octets.insert(contentsOf: piece, at: Int.random(in: 0..<octets.count, using: &random))
                }
            }
            if (try? JSONReader.read(octets)) != nil { readable += 1 }
            judge(octets, as: RequestVerb.allCases[round % RequestVerb.allCases.count])
        }
        // Some mutations hit the inside of a string or a number: had none been readable, nothing was tested behind
        // JSON.
        #expect(readable > 1_000)
    }
}
