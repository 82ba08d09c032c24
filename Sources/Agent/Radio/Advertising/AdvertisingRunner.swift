import Core
import Glibc

/// What the advertising loop's thread does: wait, read, decide, tell.
final class AdvertisingRunner {
    private let kernel: any BluetoothKernel
    private let bell: Doorbell
    private let session: AdapterSession<AdvertisingController>
    /// The session's socket, the bell, the device events.
    private var polled: [pollfd]

    init(
        _ advertisement: Advertisement, on wanted: RadioSettings.Adapter, kernel: any BluetoothKernel, bell: Doorbell,
        report: @escaping (AdvertisingNews) -> Void
    ) {
        self.kernel = kernel
        self.bell = bell
        // Data that does not fit was refused as the advertisement was made.
        session = AdapterSession(
            AdvertisingController(), on: wanted, kernel: kernel, packet: advertisement.packet(for:))
        session.told = { news, _ in report(news) }
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
