import Core
import Glibc
import Logging
import Synchronization

/// The radio loop: one thread that keeps the configured adapters scanning and gives everything they hear to its owner.
///
/// Needs CAP_NET_RAW, and adapters that are up; whatever is missing is waited for. Where it may, it brings up adapters
/// that nobody switched off, and resets controllers that do not answer, which is nothing that others could still be using.
/// Works beside bluetoothd and other scanners: scanning stays on where another process had begun it.
package final class RadioLoop: Sendable {
    private struct State {
        var worker: WorkerThread?
        var isStarted = false
        var isStopping = false
    }

    private let settings: RadioSettings
    private let mayAdminister: Bool
    private let logger: Logger
    private let bell: Doorbell
    private let state = Mutex(State())

    /// - Parameter mayAdminister: the process has CAP_NET_ADMIN, and this loop may use it to get adapters to scan.
    /// - Throws: `SystemError` where the process has no file descriptors left.
    package init(settings: RadioSettings, mayAdminister: Bool = false, logger: Logger) throws(SystemError) {
        self.settings = settings
        self.mayAdminister = mayAdminister
        self.logger = logger
        bell = try Doorbell()
    }

    /// Starts the thread. A loop is started once.
    ///
    /// - Parameter owner: moves to the thread and is destroyed there when the loop stops.
    /// - Throws: `SystemError` where no thread can be made, and EALREADY where the loop was started before.
    package func start(owner: sending some RadioOwner) throws(SystemError) {
        let settings = settings
        let logger = logger
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopping
        }
        guard isFirst else { throw SystemError("start", code: EALREADY) }
        let worker = try WorkerThread { [self, bell] in
            let runner = RadioRunner(
                settings: settings, mayAdminister: mayAdminister, owner: owner, kernel: LinuxBluetooth(), bell: bell,
                logger: logger)
            runner.run { self.state.withLock(\.isStopping) }
        }
        state.withLock { $0.worker = worker }
    }

    /// Has the owner's `tick(at:)` called soon, from any thread.
    package func wake() { bell.ring() }

    /// Switches scanning off where this loop had switched it on, closes everything and waits for the thread to end. Must
    /// not be called from the owner.
    package func stop() {
        let worker = state.withLock { state in
            state.isStopping = true
            defer { state.worker = nil }
            return state.worker
        }
        guard let worker else { return }
        bell.ring()
        worker.join()
    }
}

/// What lives on the radio loop's thread and gets everything from it, one call at a time.
///
/// A report that ends blindness is preceded by the liveness that says so. From call to call, `instant` never goes back.
package protocol RadioOwner: SendableMetatype {
    /// An HCI event as it travels: 0x04, event code, length, parameters. Valid only during the call.
    ///
    /// - Parameter adapter: which of the configured adapters heard it, from 0 on.
    mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant)

    /// Time has passed: called at the instant that the call before asked for, after every round of packets, and after
    /// `RadioLoop.wake()`.
    mutating func tick(at instant: Instant) -> EngineWait

    /// Called first of all, and whenever it changes: with several adapters, the liveness of the best of them.
    mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant)

    /// A controller has just scanned at our word: it hears.
    mutating func radioProved(at instant: Instant)

    /// Called once it is known, and whenever it changes: with several adapters, the availability of the best of them.
    mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant)

    /// Called about once a second.
    mutating func counted(_ counters: RadioCounters, at instant: Instant)

    /// Called last: nothing more is heard.
    mutating func stopped(at instant: Instant)
}

/// An owner that concludes nothing from silence.
extension RadioOwner {
    package mutating func radioProved(at instant: Instant) {}
}

/// What went through the radio since it was started.
package struct RadioCounters: Hashable, Sendable {
    /// Packets handed to the owner.
    var packets: UInt64 = 0
    /// Packets that the kernel dropped because they were not read in time.
    package var dropped: UInt64 = 0
    /// What was done about adapters that did not scan.
    var recoveries = RecoveryCounts()

    init() {}
}
