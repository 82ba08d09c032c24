import Configuration
import Glibc
import HCI

/// What the advertising loop's thread does: the I/O half of `AdvertisingController`.
final class AdvertisingRunner {
    private let advertisement: Advertisement
    private let wanted: RadioSettings.Adapter
    private let bell: Doorbell
    private let report: (AdvertisingNews) -> Void
    private let deviceEvents = try? DeviceEventSocket()
    private var controller = AdvertisingController()
    private var socket: ScanSocket?
    /// Where the adapter that served last is found again after it was plugged into another port.
    private var known: DeviceAddress?

    init(
        _ advertisement: Advertisement, on wanted: RadioSettings.Adapter, bell: Doorbell,
        report: @escaping (AdvertisingNews) -> Void
    ) {
        self.advertisement = advertisement
        self.wanted = wanted
        self.bell = bell
        self.report = report
    }

    func run(until isStopping: () -> Bool) {
        perform(controller.start(at: MonotonicClock.now))
        while !isStopping() { turn() }
        perform(controller.stop(at: MonotonicClock.now))
        while controller.state != .idle { turn() }
    }

    private func turn() {
        var polled = [socket?.descriptor ?? -1, bell.descriptor, deviceEvents?.descriptor ?? -1].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), timeout()) >= 0 else { return }
        if polled[1].revents != 0 { bell.answer() }
        if polled[0].revents != 0 { drain(woken: Int32(polled[0].revents)) }
        if polled[2].revents != 0 {
            for event in deviceEvents?.drain() ?? [] {
                perform(controller.deviceChanged(event, at: MonotonicClock.now))
            }
        }
        perform(controller.tick(at: MonotonicClock.now))
    }

    /// Milliseconds until the next deadline, rounded up; −1 where there is none.
    private func timeout() -> Int32 {
        let deadline = controller.nextDeadline
        guard deadline < .distantFuture else { return -1 }
        return Int32(clamping: max(0, ((deadline - MonotonicClock.now).microseconds + 999) / 1_000))
    }

    private func drain(woken: Int32) {
        guard let socket else { return }
        do throws(RadioError) {
            try socket.drain(limit: 64) { packet, instant in
                note(packet, at: instant)
                // What was done about a packet may have closed this socket.
                return self.socket === socket
            }
        } catch {
            return fail(error)
        }
        if woken & (POLLERR | POLLHUP | POLLNVAL) != 0, self.socket === socket { fail(socket.pendingError()) }
    }

    private func note(_ packet: Span<UInt8>, at instant: Instant) {
        if let family = controller.family,
            ForeignAdvertising.disturbs(packet, family: family, handle: Advertisement.handle)
        {
            return perform(controller.disturbed(at: instant))
        }
        switch RadioPacket(packet) {
        case .outcome(let outcome, let features):
            perform(controller.commandCompleted(outcome, features: features, at: instant))
        case .hardwareError:
            // The kernel resets the controller by itself.
            perform(controller.disturbed(at: instant))
        case .report, .foreign, .other:
            break
        }
    }

    private func fail(_ error: RadioError) {
        perform(controller.socketFailed(error.availability, at: MonotonicClock.now))
    }

    private func perform(_ actions: [AdvertisingAction]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: AdvertisingAction) {
        switch action {
        case .look:
            let choice = AdapterSurvey.current().choose(wanted, known: known)
            perform(controller.surveyed(choice, at: MonotonicClock.now))
        case .open(let adapter):
            open(adapter)
        case .send(let step):
            // Data that does not fit was refused as the advertisement was made.
            guard let packet = advertisement.packet(for: step) else { return }
            do throws(RadioError) {
                try socket?.send(packet)
            } catch {
                fail(error)
            }
        case .close:
            socket = nil
        case .announce(let news):
            report(news)
        }
    }

    private func open(_ adapter: Adapter) {
        do throws(RadioError) {
            socket = try ScanSocket(index: adapter.index, filter: .advertising)
        } catch {
            return fail(error)
        }
        if adapter.address.bits != 0 { known = adapter.address }
        perform(controller.opened(at: MonotonicClock.now))
    }
}
