import Core
import Glibc
import Synchronization

/// The body of the advertising loop's thread: wait, read, decide, report.
final class AdvertisingRunner {
    private let kernel: any BluetoothKernel
    private let bell: Doorbell
    private let session: AdapterSession<AdvertisingController>
    /// The session's socket, the bell and the device events.
    private var polled: [pollfd]

    init(
        _ advertisement: Advertisement, on wanted: RadioSettings.Adapter, kernel: any BluetoothKernel, bell: Doorbell,
        report: @escaping (AdvertisingUpdate) -> Void
    ) {
        self.kernel = kernel
        self.bell = bell
        // Data that does not fit was refused when the advertisement was made.
        session = AdapterSession(
            AdvertisingController(), on: wanted, kernel: kernel, packet: advertisement.packet(for:))
        session.reported = { update, _ in report(update) }
        polled = [-1, bell.descriptor, kernel.deviceEventsDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    func run(until isStopping: () -> Bool) {
        session.start(at: kernel.now)
        while !isStopping() { turn() }
        session.stop(at: kernel.now)
        while !session.controller.isIdle { turn() }
    }

    private func turn() {
        polled[0].fd = session.descriptor
        let timeout = timeout()
        guard polled.withUnsafeMutableBufferPointer({ kernel.poll($0, timeout_ms: timeout) }) >= 0 else { return }
        if polled[1].revents != 0 { bell.answer() }
        _ = session.read(ready: polled[0].revents, limit: 64) { _, _ in }
        if polled[2].revents != 0 {
            for event in kernel.takeDeviceEvents() { session.deviceChanged(event, at: kernel.now) }
        }
        session.tick(at: kernel.now)
    }

    /// Milliseconds until the next deadline, rounded up; −1 where there is none.
    private func timeout() -> Int32 {
        let deadline = session.nextDeadline
        guard deadline < .distantFuture else { return -1 }
        return Int32(clamping: max(0, ((deadline - kernel.now).microseconds + 999) / 1_000))
    }
}

/// One thread that keeps an advertisement on the air until it is stopped.
///
/// Needs CAP_NET_RAW and an adapter that is up, and waits for whatever is missing. Never resets or powers an adapter.
package final class AdvertisingLoop: Sendable {
    private let bell: Doorbell
    private let isStopping = Mutex(false)
    private let worker = Mutex<WorkerThread?>(nil)

    /// Starts at once.
    ///
    /// - Parameters:
    ///   - adapter: where to advertise.
    ///   - report: called on the loop's thread at each change.
    /// - Throws: `SystemError` where the process has no file descriptors or threads left.
    package init(
        _ advertisement: Advertisement, on adapter: RadioSettings.Adapter,
        report: @escaping @Sendable (AdvertisingUpdate) -> Void
    ) throws(SystemError) {
        bell = try Doorbell()
        let worker = try WorkerThread { [self] in
            let runner = AdvertisingRunner(
                advertisement, on: adapter, kernel: LinuxBluetooth(), bell: bell, report: report)
            runner.run { isStopping.withLock(\.self) }
        }
        self.worker.withLock { $0 = worker }
    }

    /// Takes the advertisement off the air and waits for the thread to end, at most 4 s.
    package func stop() {
        isStopping.withLock { $0 = true }
        bell.ring()
        let worker = worker.withLock { worker in
            defer { worker = nil }
            return worker
        }
        worker?.join()
    }
}
