import CBluetooth
import Core
import Glibc
import Synchronization

/// Whether an adapter that is down is to be brought up.
///
/// An adapter that another process put down while we were using it was switched off deliberately: it stays off until
/// somebody switches it on, or it is unplugged. Any other is brought up, where that is permitted: one that nobody has
/// brought up since the machine started or since it was plugged in, one that a kill switch put down and that is
/// unblocked, and one that did not come up again from our own down and up.
struct PowerOnPolicy: Sendable {
    /// Whoever manages adapters here, bluetoothd for instance, gets this long to do it first.
    static let grace = TimeSpan.seconds(2)
    /// From one attempt to the next: doubled each time, between these.
    static let pauses = TimeSpan.seconds(2)...TimeSpan.seconds(60)

    private let mayAdminister: Bool
    /// Adapters that others switched off, by index.
    private var switchedOff: Set<UInt16> = []
    /// The adapter that we have taken down and not yet seen up again.
    private var takenDown: UInt16?
    /// The adapter that is to be brought up, and when.
    private var due: (index: UInt16, at: Instant)?
    private var pause = DoublingPause(pauses)

    /// - Parameter mayAdminister: without CAP_NET_ADMIN nothing is ever brought up.
    init(mayAdminister: Bool) {
        self.mayAdminister = mayAdminister
    }

    /// It is down by our own doing: what keeps it there is that its controller does not answer.
    func isTakenDown(_ index: UInt16) -> Bool { takenDown == index }

    /// The adapter is there, not blocked, and down. Returns whether to bring it up now.
    mutating func foundDown(_ index: UInt16, at instant: Instant) -> Bool {
        guard mayAdminister, !switchedOff.contains(index) else { return false }
        guard let due, due.index == index else {
            due = (index, instant + Self.grace)
            pause.reset()
            return false
        }
        guard instant >= due.at else { return false }
        self.due = (index, instant + pause.next())
        return true
    }

    /// A kill switch holds it, and has put it down if it was up.
    mutating func foundBlocked(_ index: UInt16) {
        switchedOff.remove(index)
        due = nil
    }

    mutating func foundUp(_ index: UInt16) {
        switchedOff.remove(index)
        if takenDown == index { takenDown = nil }
        due = nil
    }

    /// Another process put it down while we were using it.
    mutating func wasSwitchedOff(_ index: UInt16) {
        switchedOff.insert(index)
    }

    /// We are about to take it down, and up again.
    mutating func willTakeDown(_ index: UInt16) {
        takenDown = index
    }

    /// Another that comes under its index is a new one.
    mutating func disappeared(_ index: UInt16) {
        switchedOff.remove(index)
        if takenDown == index { takenDown = nil }
        if due?.index == index { due = nil }
    }
}

/// A change of an adapter's power. It has a thread of its own, because the kernel waits for a controller that does not
/// answer: two seconds for each command, ten at most.
final class PowerChange: AdapterRepair {
    private final class Result: Sendable {
        private let stored = Mutex<RepairOutcome?>(nil)
        var outcome: RepairOutcome? { stored.withLock(\.self) }

        func finish(_ outcome: RepairOutcome) { stored.withLock { $0 = outcome } }
    }

    private let result: Result
    private let worker: WorkerThread

    /// Starts at once.
    ///
    /// - Parameter bell: rings when `outcome` is there.
    /// - Throws: `SystemError` where no thread can be made.
    init(_ step: RecoveryStep, index: UInt16, bell: Doorbell) throws(SystemError) {
        let result = Result()
        let worker = try WorkerThread {
            result.finish(PowerChange.perform(step, index: index))
            bell.ring()
        }
        (self.result, self.worker) = (result, worker)
    }

    var outcome: RepairOutcome? { result.outcome }

    func wait() { worker.join() }

    private static func perform(_ step: RecoveryStep, index: UInt16) -> RepairOutcome {
        do throws(SystemError) {
            // The socket is bound to no adapter: these are the kernel's own affairs.
            let socket = try HCISocket()
            switch step {
            case .reenable:
                break
            case .powerOn:
                try up(index, socket)
            case .powerCycle:
                guard ioctl(socket.descriptor, BEACOND_HCIDEVDOWN, Int32(index)) >= 0 else { throw .last("HCIDEVDOWN") }
                try up(index, socket)
            case .reset:
                guard ioctl(socket.descriptor, BEACOND_HCIDEVRESET, Int32(index)) >= 0 else {
                    throw .last("HCIDEVRESET")
                }
            }
            return .done
        } catch {
            return .failed(error)
        }
    }

    private static func up(_ index: UInt16, _ socket: HCISocket) throws(SystemError) {
        // EALREADY: somebody else was faster.
        if ioctl(socket.descriptor, BEACOND_HCIDEVUP, Int32(index)) < 0, errno != EALREADY { throw .last("HCIDEVUP") }
    }
}

/// What this process may do beyond other users' processes.
///
/// A running process is never given more, so it is enough to look once.
package struct ProcessCapabilities: Hashable, Sendable {
    /// CAP_NET_ADMIN: bring adapters up and down, and reset them.
    package let mayAdminister: Bool

    /// Those in effect now. Where `/proc` is hidden, there are none.
    package static func current() -> ProcessCapabilities {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return ProcessCapabilities(status: "") }
        defer { close(file) }
        let text = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        return ProcessCapabilities(status: text)
    }

    /// - Parameter status: the text of `/proc/PID/status`, with a line such as `CapEff: 0000000000003000`.
    init(status: String) {
        let administer: UInt64 = 1 << 12
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let digits = line?.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " }).last
        let effective = digits.flatMap { UInt64($0, radix: 16) } ?? 0
        mayAdminister = effective & administer != 0
    }
}
