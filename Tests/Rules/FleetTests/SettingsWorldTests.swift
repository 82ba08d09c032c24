import TestAir
import Testing

@testable import Core

/// A gateway, its disk and its broker, with power cuts between storing, applying and reporting.
private struct SettingsWorld {
    /// A kind of settings. Poisoned ones end the process half a minute after its start.
    private enum Sort: CaseIterable {
        case good, good2, poisoned, wrong
    }

    private var random: SeededGenerator
    private var disk: [UInt8]?
    private var ledger = SettingsLedger()
    private var now = Instant.origin + .seconds(30)
    private var boot = 1
    /// The broker's retained message, with its version.
    private var retained: (version: Int64, text: String)?
    private var nextVersion: Int64 = 1
    private var poisoned: Set<Int64> = []
    private var wrong: Set<Int64> = []
    /// Versions that the disk has known to be taken back.
    private var reverted: Set<Int64> = []
    private var abnormalEnds: [Int64: Int] = [:]
    private(set) var faults: [String] = []
    private(set) var reversions = 0

    init(seed: Int) { random = SeededGenerator(seed: seed) }

    mutating func run(steps: Int) {
        start()
        for _ in 0..<steps {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2: publish()
            case 3: deliver(cutAt: nil)
            case 4: deliver(cutAt: Int.random(in: 0...1, using: &random))
            case 5: end(orderly: true)
            case 6: end(orderly: false)
            case 7: reboot()
            case 8: pass(.seconds(Double.random(in: 1...700, using: &random)))
            default: pass(.seconds(20))
            }
        }
        settle()
    }

    private mutating func publish() {
        let version = nextVersion
        nextVersion += Int64.random(in: 1...3, using: &random)
        let sort = Sort.allCases.randomElement(using: &random) ?? .good
        let level = sort == .wrong ? "loud" : sort == .good2 ? "notice" : "debug"
        if sort == .poisoned { poisoned.insert(version) }
        if sort == .wrong { wrong.insert(version) }
        retained = (version, #"{"schema":1,"version":\#(version),"tables":{"log":{"level":"\#(level)"}}}"#)
    }

    /// - Parameter cut: the step before which the power is cut: storing, or the start with what was stored.
    private mutating func deliver(cutAt cut: Int?) {
        guard let retained else { return }
        let decision = ledger.receive(
            Array(retained.text.utf8), for: "s/g", signer: nil, at: now, bootID: "\(boot)", trial: FleetGateway().trial)
        if decision == .ignored { return }
        if cut == 0 {
            ledger = stored
            return reboot()
        }
        disk = ledger.stored
        if cut == 1 { return reboot() }
        check()
    }

    private mutating func pass(_ span: TimeSpan) {
        if let version = ledger.version, poisoned.contains(version) {
            now = now + .seconds(30)
            return end(orderly: false)
        }
        now = now + span
        if ledger.advance(to: now) { disk = ledger.stored }
    }

    private mutating func reboot() {
        boot += 1
        now = .origin + .seconds(20)
        count()
        start()
    }

    private mutating func end(orderly: Bool) {
        if orderly {
            if ledger.end() { disk = ledger.stored }
        } else {
            count()
        }
        now = now + .seconds(2)
        start()
    }

    private mutating func count() {
        if let version = ledger.version { abnormalEnds[version, default: 0] += 1 }
    }

    private var stored: SettingsLedger { disk.flatMap { try? SettingsLedger(stored: $0) } ?? SettingsLedger() }

    private mutating func start() {
        let before = stored
        ledger = before
        guard ledger.begin(at: now, bootID: "\(boot)") else { return check() }
        disk = ledger.stored
        if ledger.report?.outcome == .reverted, let version = ledger.report?.version, ledger.version != before.version {
            reversions += 1
            reverted.insert(version)
            if (abnormalEnds[version] ?? 0) < 2 { faults.append("version \(version) was taken back too early") }
        }
        check()
    }

    private mutating func check() {
        guard let version = ledger.version else { return }
        if wrong.contains(version) { faults.append("version \(version) has an error and is in effect") }
        if reverted.contains(version) { faults.append("version \(version) came back") }
        if version > ledger.highestVersion { faults.append("the highest version is below \(version)") }
    }

    /// The faults end. The gateway runs, ends as its settings make it, and hears the broker's message again at each start.
    private mutating func settle() {
        for _ in 0..<12 {
            deliver(cutAt: nil)
            pass(.seconds(700))
        }
        guard let version = ledger.version else { return }
        if poisoned.contains(version) { faults.append("poisoned version \(version) is in effect in the end") }
        if let retained, !poisoned.contains(retained.version), !wrong.contains(retained.version),
            retained.version > (reverted.max() ?? 0), version != retained.version
        {
            faults.append("version \(retained.version) is not in effect in the end, but \(version)")
        }
    }
}

@Suite("Settings survive power cuts and bad operators")
struct SettingsWorldTests {
    @Test(
        "Through any cuts, no wrong version is in effect, no reverted one comes back, and a good one is in effect in the end",
        arguments: 0..<30)
    func world(seed: Int) {
        var world = SettingsWorld(seed: seed)
        world.run(steps: 200)
        #expect(world.faults == [])
    }

    @Test("The worlds take settings back, so the test can fail")
    func takesBack() {
        let reversions = (0..<20).map { seed in
            var world = SettingsWorld(seed: seed)
            world.run(steps: 200)
            return world.reversions
        }
        #expect(reversions.reduce(0, +) > 20)
    }
}
