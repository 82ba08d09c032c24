import CBluetooth
import Glibc
import Synchronization

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
