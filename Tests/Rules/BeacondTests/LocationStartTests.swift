import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

/// The stored place of one process, and its use by the next one.
@Suite("A start after a process that knew the place")
struct LocationStartTests {
    private static let topic = "beacons/store/van/location"
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    /// - Parameter former: the process before, which ends.
    private func start(_ tables: String, after former: AgentStart? = nil) throws -> AgentStart {
        former?.dispatcher.outbox.close()
        return try AgentStart("[gateway]\nid = \"van\"\n\(tables)", in: folder, .november)
    }

    private func fix(_ second: Double) throws -> Fix {
        Fix(
            at: Timebase.november.wallAtOrigin + .seconds(second),
            coordinate: try #require(Coordinate(latitude: 52.5163, longitude: 13.3777)), horizontalAccuracy_m: 5)
    }

    private func placed(_ second: Double) throws -> GatewayOutput {
        let placed = PlacedFix(fix: try fix(second), came: .origin, origin: .receiver(device: nil, age: .zero))
        return .message(GatewayLocation(placed: placed, service: .standard), at: .origin)
    }

    private func kept(_ second: Double, number: Int = 0) throws -> GatewayOutput {
        .message(KeptFix(fix: try fix(second), number: number), at: .origin)
    }

    private static let gpsd = "[location]\nsource = \"gpsd\"\n"

    @Test("A killed process's kept fixes are published first, once, as one stopped batch")
    func kept() throws {
        let killed = try start(Self.gpsd)
        _ = try killed.dispatcher.dispatch([try kept(1), try kept(2, number: 1)], Timebase.november)
        let next = try start(Self.gpsd, after: killed)
        #expect(
            next.outputs.first
                == .message(TrackBatch(fixes: [try fix(1), try fix(2)], finished: .stopped), at: .origin))
        _ = try next.dispatcher.dispatch(next.outputs, Timebase.november)
        #expect(try start(Self.gpsd, after: next).outputs.isEmpty)
    }

    @Test("With location = \"omit\" no place is stored or published")
    func omit() throws {
        let tables = Self.gpsd + "[privacy]\nlocation = \"omit\"\n"
        let parts = try start(tables)
        let batch = TrackBatch(fixes: [try fix(1)], finished: .timeout)
        let published = try parts.dispatcher.dispatch(
            [try kept(1), .message(batch, at: .origin), try placed(1)], Timebase.november)
        #expect(published.isEmpty)
        #expect(parts.dispatcher.outbox.records().isEmpty)
    }

    @Test(
        "A place at the broker is cleared by a process that publishes none",
        arguments: ["", "[privacy]\nlocation = \"omit\"\n[location]\nsource = \"gpsd\"\n"])
    func clears(tables: String) throws {
        let first = try start(Self.gpsd)
        _ = try first.dispatcher.dispatch([try placed(1)], Timebase.november)
        let silent = try start(tables, after: first)
        #expect(silent.dispatcher.clearances.map(\.topic) == [Self.topic])
        try silent.dispatcher.tidy(clearedTopics: [Self.topic])
        #expect(try start(tables, after: silent).dispatcher.clearances.isEmpty)
    }

    @Test("The place stays while it is published")
    func stays() throws {
        let first = try start(Self.gpsd)
        _ = try first.dispatcher.dispatch([try placed(1)], Timebase.november)
        #expect(try start(Self.gpsd, after: first).dispatcher.clearances.isEmpty)
    }
}
