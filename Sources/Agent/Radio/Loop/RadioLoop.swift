import Core
import Glibc
import Logging
import Synchronization

package enum RadioSource: Sendable {
    /// The machine's adapters.
    ///
    /// - Parameter mayAdminister: whether the process has CAP_NET_ADMIN, and may use it on adapters.
    case adapters(RadioSettings, mayAdminister: Bool = false)
    /// A receiver that publishes what it hears.
    ///
    /// - Parameter wall: the time of day at a recent instant; `nil` while the machine's clock is not set.
    case receiver(ReceiverSettings, ReceiverInbox, wall: @Sendable (Instant) -> WallTime?)
}

/// The radio loop: one thread that keeps the configured adapters scanning, and passes everything that they hear to its
/// owner.
///
/// Needs CAP_NET_RAW and adapters that are up, and waits for whatever is missing. Where permitted, the loop brings up
/// adapters that no process switched off, and resets controllers that do not answer: no other process could be using
/// those. It works beside bluetoothd and other scanners, and leaves scanning on where another process had begun it.
package final class RadioLoop: Sendable {
    private struct State {
        var worker: WorkerThread?
        var isStarted = false
        var isStopping = false
    }

    private let source: RadioSource
    private let logger: Logger
    private let bell: Doorbell
    private let state = Mutex(State())

    /// - Throws: `SystemError` where the process has no file descriptors left.
    package init(_ source: RadioSource, logger: Logger) throws(SystemError) {
        self.source = source
        self.logger = logger
        bell = try Doorbell()
    }

    /// Starts the thread. A loop can be started once.
    ///
    /// - Parameter owner: moves to the thread and is destroyed there when the loop stops.
    /// - Throws: `SystemError` where no thread can be made, and EALREADY where the loop was started before.
    package func start(owner: sending some RadioOwner) throws(SystemError) {
        let (source, logger) = (source, logger)
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopping
        }
        guard isFirst else { throw SystemError("start", code: EALREADY) }
        let worker = try WorkerThread { [self, bell] in
            switch source {
            case .adapters(let settings, let mayAdminister):
                let runner = RadioRunner(
                    settings: settings, mayAdminister: mayAdminister, owner: owner, kernel: LinuxBluetooth(),
                    bell: bell, logger: logger)
                runner.run { self.state.withLock(\.isStopping) }
            case .receiver(let settings, let inbox, let wall):
                let runner = ReceiverRunner(settings, inbox, owner: owner, bell: bell, wall: wall, logger: logger)
                runner.run { self.state.withLock(\.isStopping) }
            }
        }
        state.withLock { $0.worker = worker }
    }

    /// Asks for a call of the owner's `tick(at:)` soon, from any thread.
    package func wake() { bell.ring() }

    /// Switches scanning off where this loop had switched it on, closes everything and waits for the thread to end. The
    /// owner must not call it.
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

/// The receiver of everything that the radio loop hears. It lives on the loop's thread and gets one call at a time.
///
/// Before a report that ends blindness, the loop reports the new liveness. From call to call, `instant` never goes back.
package protocol RadioOwner: SendableMetatype {
    /// An HCI event in its wire format: 0x04, event code, length, parameters. Valid only during the call.
    ///
    /// - Parameter adapter: the configured adapter that heard it, counted from 0.
    mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant)

    /// Time has passed. Called at the instant that the last call asked for, after every round of packets, and after
    /// `RadioLoop.wake()`.
    mutating func tick(at instant: Instant) -> EngineWait

    /// The liveness of the best adapter. Called first of all, and at each change.
    mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant)

    /// A controller has just carried out the agent's scan command, so it hears.
    mutating func radioProved(at instant: Instant)

    /// The availability of the best adapter. Called once it is known, and at each change.
    mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant)

    /// The loop's counters. Called about once a second.
    mutating func counted(_ counters: RadioCounters, at instant: Instant)

    /// The loop has ended. Called last: the owner gets nothing more.
    mutating func stopped(at instant: Instant)
}

/// Default for an owner that concludes nothing from silence.
extension RadioOwner {
    package mutating func radioProved(at instant: Instant) {}
}

/// The radio's counters since its start.
package struct RadioCounters: Hashable, Sendable {
    /// Packets handed to the owner.
    var packets: UInt64 = 0
    /// Packets that the kernel dropped because they were not read in time.
    package var dropped: UInt64 = 0
    /// Repairs of adapters that did not scan.
    var recoveries: [RecoveryStep: UInt64] = [:]
    /// `nil` where adapters are the radio.
    var receiver: Receiver?

    struct Receiver: Hashable, Sendable {
        /// The measured time from one batch to the next; `nil` before it is known, and for a receiver without batches.
        var period: TimeSpan?
        /// Messages that the format refused, or could not use wholly.
        var malformed: UInt64 = 0
    }

    init() {}
}
