import Foundation
import TestAir
import Testing

@testable import Agent
@testable import Core

@Suite("The outbox when its process is killed")
struct CrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["BEACOND_CRASH_ROUNDS"].flatMap(Int.init) ?? 40

    /// Lets the child work for `microseconds` after its first line, kills it, and returns its lines.
    private func killedChild(in folder: TemporaryFolder, after microseconds: UInt32) throws -> [Substring] {
        let directory = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        process.executableURL = try #require(directory).appendingPathComponent("OutboxCrashChild")
        process.arguments = [folder.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading
        var said = output.availableData
        usleep(microseconds)
        kill(process.processIdentifier, SIGKILL)
        said += output.readDataToEndOfFile()
        process.waitUntilExit()
        // A line that the kill cut short does not count.
        return String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    @Test(
        "Killed at any moment, it keeps every event reported as committed, with its record, and repeats no number")
    func killed() throws {
        var generator = SeededGenerator(seed: 42)
        let folder = TemporaryFolder()
        var epoch: String?
        var next: Int64 = 1
        var acknowledged: Int64 = 0
        for round in 0..<Self.rounds {
            let said = try killedChild(in: folder, after: .random(in: 0..<60_000, using: &generator))
            let what = Comment(rawValue: "round \(round)")
            try #require(!said.isEmpty && said.allSatisfy { $0.hasPrefix("c ") || $0.hasPrefix("a ") }, what)
            let committed = said.last { $0.hasPrefix("c ") }.flatMap { Int64($0.dropFirst(2)) } ?? 0
            acknowledged = said.last { $0.hasPrefix("a ") }.flatMap { Int64($0.dropFirst(2)) } ?? acknowledged

            let outbox = try Outbox.open(folder)
            #expect(outbox.isDurable && outbox.takeGaps().isEmpty, what)
            #expect(epoch == nil || outbox.numbering.epoch == epoch, what)
            #expect(outbox.numbering[.events] > committed && outbox.numbering[.events] > next, what)
            #expect(outbox.lastRecord == outbox.numbering[.events] - 1, what)
            let events = outbox.drain()
            #expect((events.first?.seq ?? 0) <= acknowledged + 1, what)
            #expect(events.map(\.seq) == Array((events.first?.seq ?? 1)..<outbox.numbering[.events]), what)
            #expect(events.filter { !$0.isWhole }.isEmpty, what)
            epoch = outbox.numbering.epoch
            next = outbox.numbering[.events]
            // The queue is emptied now and then, so that rounds stay short.
            if round % 10 == 9 {
                outbox.acknowledge(events.map(\.position))
                acknowledged = next - 1
            }
            outbox.close()
        }
        #expect(next > Int64(Self.rounds))
    }
}
