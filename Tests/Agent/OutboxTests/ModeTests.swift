import CSQLite
import Core
import Testing

@testable import Agent

@Suite("How an outbox stands with its file, without a disk")
struct ModeTests {
    private typealias Mode = OutboxMode<String>

    private static let full = DiskError(source: .sqlite, code: SQLITE_FULL, systemError: 0, operation: "commit")
    private static let corrupt = DiskError(source: .sqlite, code: SQLITE_CORRUPT, systemError: 0, operation: "read")
    private static let unplugged = DiskError.system(5, during: "read outbox.sqlite")

    private static func fault(_ error: DiskError, after former: DiskFault? = nil, at now: Instant = .origin)
        -> DiskFault
    {
        DiskFault(
            OutboxCondition(error, directory: "state", obstacle: nil), unreadableSince: nil, after: former, at: now)
    }

    private static func fail(_ mode: inout Mode, _ error: DiskError, mayReplace: Bool = true) {
        mode.failed(fault(error, after: mode.fault), error, mayReplace: mayReplace)
    }

    private static var working: Mode { .working("a") }

    private static func after(_ mode: Mode, _ change: (inout Mode) -> Void) -> Mode {
        var mode = mode
        change(&mode)
        return mode
    }

    /// The remaining steps, the open file, whether outbox and file have met, and whether the disk has refused.
    private static func say(_ mode: Mode) -> String {
        let step =
            switch mode.nextStep {
            case nil: "nothing"
            case .setAside: "set aside"
            case .carryOver(let file): "carry over \(file)"
            case .open: "open"
            case .write(let file): "write \(file)"
            }
        return "\(step), \(mode.file ?? "closed"), \(mode.meeting)\(mode.fault == nil ? "" : ", failing")"
    }

    @Test("From the start to work: it is opened, met and written")
    func start() {
        var mode = Mode.atStart
        #expect(Self.say(mode) == "open, closed, atStart")
        mode.opened("a", isReadOnly: false)
        #expect(Self.say(mode) == "write a, a, done")
        #expect(!mode.isWorking)
        #expect(mode.written() == nil)
        #expect(Self.say(mode) == "nothing, a, done" && mode.isWorking)
        mode.started()
        #expect(Self.say(mode) == "nothing, a, done")
    }

    @Test("A file found after the first try is no start any more, damaged or not")
    func late() {
        var mode = Self.after(.atStart) { Self.fail(&$0, Self.unplugged) }
        #expect(Self.say(mode) == "open, closed, atStart, failing")
        mode.started()
        #expect(Self.say(mode) == "open, closed, later, failing")
        var damaged = Self.after(.atStart) { Self.fail(&$0, Self.corrupt) }
        damaged.started()
        #expect(Self.say(damaged) == "set aside, closed, later, failing")
        damaged.setAside()
        #expect(Self.say(damaged) == "open, closed, later, failing")
    }

    @Test("A full disk leaves the file open, any other refusal closes it; the fault ends when all is written")
    func refusals() throws {
        var mode = Self.after(Self.working) { Self.fail(&$0, Self.full) }
        #expect(Self.say(mode) == "write a, a, done, failing")
        Self.fail(&mode, Self.unplugged)
        #expect(Self.say(mode) == "open, closed, done, failing")
        mode.opened("b", isReadOnly: false)
        #expect(Self.say(mode) == "write b, b, done, failing")
        #expect(mode.written()?.condition.cause == .inputOutput)
        #expect(Self.say(mode) == "nothing, b, done")
    }

    @Test("A file that can only be read is read, and opened anew at every try")
    func readOnly() {
        var mode = Self.after(.atStart) { $0.opened("a", isReadOnly: true) }
        Self.fail(&mode, .readOnly("a"))
        #expect(Self.say(mode) == "open, a, done, failing")
        #expect(mode.written() == nil && !mode.isWorking)
        mode.letGo()
        #expect(Self.say(mode) == "open, closed, done, failing")
    }

    @Test("A damaged file is set aside, salvaged once, and its successor written")
    func damage() {
        var mode = Self.after(Self.working) { Self.fail(&$0, Self.corrupt) }
        #expect(mode.isDamaged && Self.say(mode) == "set aside, closed, done, failing")
        mode.setAside()
        mode.salvaged()
        #expect(mode.isSalvaged && Self.say(mode) == "open, closed, done, failing")
        mode.opened("b", isReadOnly: false)
        Self.fail(&mode, Self.full)
        #expect(mode.isSalvaged && Self.say(mode) == "write b, b, done, failing")
        Self.fail(&mode, Self.unplugged)
        #expect(mode.isSalvaged && Self.say(mode) == "open, closed, done, failing")
        mode.opened("b", isReadOnly: true)
        #expect(mode.isSalvaged && Self.say(mode) == "open, closed, done, failing")
        mode.opened("b", isReadOnly: false)
        _ = mode.written()
        #expect(!mode.isSalvaged && mode.isWorking)
    }

    @Test("Damage after a file was set aside in the same try waits for the next one, and the saved content stays known")
    func damagingDisk() {
        var mode = Self.after(Self.working) { Self.fail(&$0, Self.corrupt) }
        mode.setAside()
        mode.salvaged()
        mode.opened("b", isReadOnly: false)
        Self.fail(&mode, Self.corrupt, mayReplace: false)
        #expect(!mode.isDamaged && mode.isSalvaged && Self.say(mode) == "open, closed, done, failing")
        Self.fail(&mode, Self.corrupt)
        #expect(mode.isDamaged && !mode.isSalvaged)
    }

    @Test("A file that lost its place is read until it is carried over, whatever the disk refuses but damage")
    func displaced() {
        var mode = Self.after(Self.working) { $0.missed(.databaseReplaced) }
        #expect(Self.say(mode) == "carry over a, a, done")
        Self.fail(&mode, Self.unplugged)
        #expect(Self.say(mode) == "carry over a, a, done, failing")
        #expect(Self.say(Self.after(mode) { Self.fail(&$0, Self.corrupt) }) == "set aside, closed, done, failing")
        mode.letGo()
        #expect(Self.say(mode) == "open, closed, done, failing")
    }

    @Test("A log that was replaced means opening the file anew, a lock writing it")
    func replaced() {
        #expect(Self.say(Self.after(Self.working) { $0.missed(.logReplaced) }) == "open, closed, done")
        #expect(Self.say(Self.after(Self.working) { $0.missed(.lockReplaced) }) == "write a, a, done")
    }

    @Test("A closed outbox has no next step; after a failure it can be tried again")
    func closing() {
        #expect(Self.say(Self.after(Self.working) { $0.closed() }) == "nothing, closed, done")
        let failing = Self.after(Self.working) { Self.fail(&$0, Self.full) }
        #expect(Self.say(Self.after(failing) { $0.closed() }) == "open, closed, done, failing")
        #expect(Self.say(.detached) == "nothing, closed, done")
    }

    @Test("A failing disk is retried after 1, 2, 4 … 60 seconds; once it has worked, from 1 again")
    func retries() {
        var fault: DiskFault?
        let waits = (0..<8).map { _ in
            let next = Self.fault(Self.full, after: fault, at: .seconds(100))
            fault = next
            return (next.retry.due - .seconds(100)).seconds
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(Self.fault(Self.full).retry.due == .seconds(1))
    }

    @Test("Damage that SQLite reports is a refusal while the disk can't read the whole file, for a minute")
    func judging() {
        func judge(_ error: DiskError, _ refusal: DiskError?, since: Instant?, _ now: Instant) -> (DiskError, Instant?)
        {
            DiskFault.judge(error, refusal: refusal, since: since, at: now)
        }
        #expect(judge(Self.corrupt, nil, since: .seconds(5), .seconds(6)) == (Self.corrupt, nil))
        #expect(judge(Self.corrupt, Self.unplugged, since: nil, .seconds(6)) == (Self.unplugged, .seconds(6)))
        #expect(judge(Self.corrupt, Self.unplugged, since: .seconds(6), .seconds(65)) == (Self.unplugged, .seconds(6)))
        #expect(judge(Self.corrupt, Self.unplugged, since: .seconds(6), .seconds(66)) == (Self.corrupt, .seconds(6)))
        #expect(judge(Self.full, nil, since: .seconds(6), .seconds(7)) == (Self.full, .seconds(6)))
    }
}
