import Foundation
import Testing

@testable import Agent
@testable import Core

@Suite("Coverage goes through the outbox")
struct CoverageTests {
    private let outbox: Outbox

    init() throws { outbox = try Outbox.inMemory(maxEvents: 2) }

    private func at(_ seconds: Double) -> Instant { .origin + .seconds(seconds) }

    private func start(at seconds: Double) throws -> Dispatcher {
        try AgentStart("[gateway]\nid = \"gate\"", outbox, at: at(seconds)).dispatcher
    }

    /// Returns the waiting spans as short lines: `1 scanning 00:00:10 00:00:50`.
    private var spans: [String] {
        outbox.next(limit: 100).map { event in
            let payload =
                (try? JSONSerialization.jsonObject(with: Data(event.message.payload))) as? [String: Any] ?? [:]
            func text(_ key: String) -> String { payload[key] as? String ?? "no \(key)" }
            func time(_ key: String) -> String { String(text(key).dropFirst(11).prefix(8)) }
            return "\(event.number.seq) \(text("radio")) \(time("from_at")) \(time("to_at"))"
        }
    }

    @Test("Spans have their own numbers and topic, and wait like events")
    func numbered() throws {
        let dispatcher = try start(at: 0)
        let said = try dispatcher.dispatch(
            [
                .radio(.live(.scanning), at: at(1)), .radio(.live(.off), at: at(30)),
                .radio(.live(.scanning), at: at(40)),
            ],
            .epoch)
        #expect(spans == ["1 scanning 00:00:01 00:00:30", "2 off 00:00:30 00:00:40"])
        #expect(outbox.next(limit: 100).isEmpty)
        let message = try #require(said.messages.first { $0.delivery == .durable(.spans) })
        #expect(message.topic == "beacons/store/gate/coverage")
        let begin =
            #"{"schema":1,"at":"1970-01-01T00:00:30.000Z","clock":"synced","site":"store","gateway":"gate","epoch":""#
        #expect(String(decoding: message.payload, as: UTF8.self).hasPrefix(begin))
        #expect(outbox.numbering[.events] == 1 && dispatcher.eventCount == 0)
    }

    @Test("An unchanged condition makes a span every hour")
    func hourly() throws {
        let dispatcher = try start(at: 0)
        _ = try dispatcher.dispatch([.radio(.live(.scanning), at: at(0))], .epoch)
        for minute in 1...125 { _ = try dispatcher.publishCoverage(at: at(Double(minute) * 60), .epoch) }
        #expect(spans == ["1 scanning 00:00:00 01:00:00", "2 scanning 01:00:00 02:00:00"])
    }

    @Test("After a goodbye the next process tells the time in between")
    func restart() throws {
        var dispatcher = try start(at: 0)
        _ = try dispatcher.dispatch([.radio(.live(.scanning), at: at(1))], .epoch)
        _ = try dispatcher.endCoverage(at: at(100), .epoch)
        dispatcher = try start(at: 200)
        _ = try dispatcher.dispatch([.radio(.live(.scanning), at: at(201))], .epoch)
        _ = try dispatcher.endCoverage(at: at(300), .epoch)
        #expect(
            spans == [
                "1 scanning 00:00:01 00:01:40", "2 stopped 00:01:40 00:03:21", "3 scanning 00:03:21 00:05:00",
            ])
    }

    @Test("After a crash the span ends at the stored time, which is at most five minutes old")
    func crash() throws {
        var dispatcher = try start(at: 0)
        _ = try dispatcher.dispatch([.radio(.live(.scanning), at: at(0))], .epoch)
        for second in 1...719 { _ = try dispatcher.publishCoverage(at: at(Double(second)), .epoch) }
        dispatcher = try start(at: 900)
        _ = try dispatcher.dispatch([.radio(.live(.scanning), at: at(901))], .epoch)
        #expect(spans == ["1 scanning 00:00:00 00:10:00", "2 stopped 00:10:00 00:15:01"])
    }

    @Test("Spans do not displace events, nor events spans")
    func limits() throws {
        let dispatcher = try start(at: 0)
        let changes = (0..<10).map { second in
            GatewayOutput.radio(second % 2 == 0 ? .live(.scanning) : .live(.off), at: at(Double(second)))
        }
        _ = try dispatcher.dispatch(changes, .epoch)
        #expect(spans.count == 9 && outbox.takeGaps().isEmpty)
    }
}
