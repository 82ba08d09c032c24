import Core
import Glibc
import Synchronization

/// One thread that keeps an advertisement on the air until it is stopped.
///
/// Needs CAP_NET_RAW and an adapter that is up; whatever is missing is waited for. It never resets or powers an adapter.
package final class AdvertisingLoop: Sendable {
    private let bell: Doorbell
    private let isStopping = Mutex(false)
    private let worker = Mutex<WorkerThread?>(nil)

    /// Starts at once.
    ///
    /// - Parameters:
    ///   - adapter: where to advertise.
    ///   - report: called on the loop's thread, whenever something changes.
    /// - Throws: `SystemError` where the process has no file descriptors or threads left.
    package init(
        _ advertisement: Advertisement, on adapter: RadioSettings.Adapter,
        report: @escaping @Sendable (AdvertisingNews) -> Void
    ) throws(SystemError) {
        bell = try Doorbell()
        let worker = try WorkerThread { [self] in
            let runner = AdvertisingRunner(
                advertisement, on: adapter, kernel: LinuxBluetooth(), bell: bell, report: report)
            runner.run { isStopping.withLock(\.self) }
        }
        self.worker.withLock { $0 = worker }
    }

    /// Takes the advertisement off the air and waits for the thread to end, 4 s at most.
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
