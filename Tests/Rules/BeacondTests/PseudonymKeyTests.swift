import Foundation
import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("The secret of the pseudonyms lives for a day")
struct PseudonymKeyTests {
    private static let noon = WallTime(microseconds: 1_800_014_400_000_000)
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    private static func key(at time: WallTime) -> [UInt8] {
        PseudonymKey.make(random: PseudonymKey.random(), at: time)
    }

    /// Returns the dispatcher of a process that starts at `time`.
    private func dispatcher(at time: WallTime) throws -> Dispatcher {
        let outbox = try Outbox(
            directory: folder, limits: OutboxLimits(maxEvents: 10, maxMiB: 1), at: .origin, wallTime: time,
            generator: SystemRandomNumberGenerator())
        let timebase = Timebase(wallAtOrigin: time, isSynced: true)
        let stored = StoredState(outbox, timebase, bootID: "boot", newKey: Self.key(at: time))
        let composer = MessageComposer(
            Settings.defaults.identity.topics, Settings.defaults.privacy, Settings.defaults.gateway,
            pseudonymKey: stored.pseudonymKey)
        return Dispatcher(composer, outbox: outbox, stored: stored, bootID: "boot")
    }

    /// Returns whether a file of the folder has the secret.
    private func isStored(_ secret: Data) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder).contains {
            FileManager.default.contents(atPath: folder + "/" + $0)?.range(of: secret) != nil
        }
    }

    private func key(_ dispatcher: Dispatcher) throws -> [UInt8] {
        try #require(dispatcher.outbox.value(forKey: StoredState.pseudonymKeyName))
    }

    @Test("The secret stays within a day, across a restart too, and changes the next day")
    func daily() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try dispatcher(at: Self.noon)
        let today = try key(first)
        first.renewPseudonymKey(at: Self.noon + .seconds(43_199), random: PseudonymKey.random)
        #expect(try key(first) == today)
        first.outbox.close()

        let second = try dispatcher(at: Self.noon + .seconds(60))
        second.renewPseudonymKey(at: Self.noon + .seconds(60), random: PseudonymKey.random)
        #expect(try key(second) == today)
        second.renewPseudonymKey(at: Self.noon + .seconds(43_200), random: PseudonymKey.random)
        #expect(try key(second).prefix(32) != today.prefix(32))
    }

    @Test("Yesterday's secret is nowhere in the state folder any more")
    func forgotten() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let dispatcher = try dispatcher(at: Self.noon)
        let yesterday = Data(try key(dispatcher).prefix(32))
        dispatcher.renewPseudonymKey(at: Self.noon + .seconds(86_400), random: PseudonymKey.random)
        let today = Data(try key(dispatcher).prefix(32))
        dispatcher.outbox.close()
        #expect(try isStored(today))
        #expect(try !isStored(yesterday))
    }

    @Test(
        "No earlier day's secret is in any file, in a running process and after kill -9")
    func forgottenWithoutClosing() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let dispatcher = try dispatcher(at: Self.noon)
        // A damaged file that was set aside has the key of its day.
        try FileManager.default.copyItem(
            atPath: folder + "/outbox.sqlite-wal", toPath: folder + "/outbox.sqlite.corrupt")
        var former: [Data] = []
        for day in 1...5 {
            former.append(Data(try key(dispatcher).prefix(32)))
            for number in 0..<40 {
                dispatcher.outbox.setValue([UInt8](repeating: UInt8(number), count: 700), forKey: "other \(number % 7)")
            }
            dispatcher.renewPseudonymKey(
                at: Self.noon + .seconds(day * 86_400), random: PseudonymKey.random)
            #expect(try isStored(Data(try key(dispatcher).prefix(32))))
            for (number, key) in former.enumerated() {
                #expect(try !isStored(key), "that of day \(number) on day \(day)")
            }
        }
    }

    @Test("A secret without a day is replaced")
    func withoutDay() {
        #expect(!PseudonymKey.serves([UInt8](repeating: 7, count: 32), at: Self.noon))
        #expect(!PseudonymKey.serves([], at: Self.noon))
        #expect(PseudonymKey.serves(Self.key(at: Self.noon), at: Self.noon))
    }

    @Test("Files with secrets are readable by their owner only, with any umask")
    func fileModes() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let mask = umask(0)
        defer { umask(mask) }
        let dispatcher = try dispatcher(at: Self.noon)
        for name in ["outbox.sqlite", "outbox.sqlite-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        dispatcher.outbox.close()
    }
}
