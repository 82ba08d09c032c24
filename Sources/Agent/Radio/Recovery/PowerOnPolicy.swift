import CBluetooth
import Core
import Glibc
import Synchronization

/// Decides whether to bring up an adapter that is down.
///
/// Another process may put an adapter down while the agent uses it. That is deliberate, so the adapter stays off until
/// some process switches it on, or it is unplugged. The agent brings up any other adapter, where it may:
/// - an adapter that no process has brought up since the machine started or since it was plugged in;
/// - an adapter that a kill switch put down and that is unblocked again;
/// - an adapter that did not come up after the agent took it down.
struct PowerOnPolicy: Sendable {
    /// The time that an adapter manager such as bluetoothd has to bring the adapter up first.
    static let grace = TimeSpan.seconds(2)
    /// The shortest and the longest pause between attempts; it doubles each time.
    static let pauses = TimeSpan.seconds(2)...TimeSpan.seconds(60)

    private let mayAdminister: Bool
    /// Adapters that other processes switched off, by index.
    private var switchedOff: Set<UInt16> = []
    /// The adapter that the agent has taken down and not yet seen up again.
    private var takenDown: UInt16?
    /// The adapter to bring up, and the time for it.
    private var due: (index: UInt16, at: Instant)?
    private var pause = DoublingPause(pauses)

    /// - Parameter mayAdminister: without CAP_NET_ADMIN the agent brings nothing up.
    init(mayAdminister: Bool) { self.mayAdminister = mayAdminister }

    /// Returns whether the agent itself took the adapter down, so that only a silent controller keeps it there.
    func isTakenDown(_ index: UInt16) -> Bool { takenDown == index }

    /// The adapter exists, is not blocked, and is down. Returns whether to bring it up now.
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

    /// A kill switch blocks the adapter, and has put it down if it was up.
    mutating func foundBlocked(_ index: UInt16) {
        switchedOff.remove(index)
        due = nil
    }

    mutating func foundUp(_ index: UInt16) {
        switchedOff.remove(index)
        if takenDown == index { takenDown = nil }
        due = nil
    }

    /// Another process put the adapter down while the agent used it.
    mutating func wasSwitchedOff(_ index: UInt16) { switchedOff.insert(index) }

    /// The agent is about to take the adapter down and up.
    mutating func willTakeDown(_ index: UInt16) { takenDown = index }

    /// The adapter is gone; the next one with its index is a new one.
    mutating func disappeared(_ index: UInt16) {
        switchedOff.remove(index)
        if takenDown == index { takenDown = nil }
        if due?.index == index { due = nil }
    }
}

/// A change of an adapter's power. It has a thread of its own, because the kernel waits for a silent controller: two
/// seconds for each command, at most ten.
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
    /// - Parameter bell: rings when `outcome` is set.
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
            // The socket is bound to no adapter: these are ioctls of the kernel itself.
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
        // EALREADY: another process was faster.
        if ioctl(socket.descriptor, BEACOND_HCIDEVUP, Int32(index)) < 0, errno != EALREADY { throw .last("HCIDEVUP") }
    }
}

/// The special privileges of this process.
///
/// A running process never gains any, so reading them once is enough.
package struct ProcessCapabilities: Hashable, Sendable {
    /// CAP_NET_ADMIN: bring adapters up and down, and reset them.
    package let mayAdminister: Bool

    /// The effective privileges now. Where `/proc` is hidden, there are none.
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
