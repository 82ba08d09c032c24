import Configuration
import Glibc
import HCI
import Logging

/// What the radio loop's thread does: wait, drain, decide, tell.
final class RadioRunner<Owner: RadioOwner> {
    /// Packets taken from one adapter before timers and the others get their turn.
    private static var packetsPerRound: Int { 512 }
    private static var countInterval: TimeSpan { .seconds(1) }

    private var owner: Owner
    private let stations: [ScanStation]
    private let bell: Doorbell
    private let deviceEvents = try? DeviceEventSocket()
    /// The stations' sockets, the bell, the device events.
    private var polled: [pollfd]
    private var availability: RadioAvailability?
    private var liveness: RadioLiveness?
    private var ownerDeadline: Instant = .origin
    private var nextCount: Instant

    init(settings: RadioSettings, owner: Owner, bell: Doorbell, logger: Logger) {
        self.owner = owner
        self.bell = bell
        stations = settings.adapters.map { ScanStation($0, settings: settings, logger: logger) }
        let closed = stations.map { _ in pollfd(fd: -1, events: Int16(POLLIN), revents: 0) }
        let always = [bell.descriptor, deviceEvents?.descriptor ?? -1]
        polled = closed + always.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        nextCount = MonotonicClock.now + Self.countInterval
        for station in stations {
            station.taken = { [unowned self, unowned station] in
                Set(self.stations.filter { $0 !== station }.compactMap(\.index))
            }
        }
    }

    func run(until isStopping: () -> Bool) {
        let start = MonotonicClock.now
        for station in stations {
            station.start(at: start)
        }
        announce(at: start)
        while !isStopping() { turn() }
        let end = MonotonicClock.now
        for station in stations { station.stop(at: end) }
        count(at: end)
    }

    /// One wait, and everything that it brought.
    private func turn() {
        for (slot, station) in stations.enumerated() { polled[slot].fd = station.descriptor ?? -1 }
        var mustTick = false
        if poll(&polled, nfds_t(polled.count), timeout_ms(from: MonotonicClock.now)) > 0 {
            // Sockets come before device events, which may close one and open another in its place.
            for (slot, station) in stations.enumerated() where polled[slot].revents != 0 {
                drain(station, woken: Int32(polled[slot].revents))
                mustTick = true
            }
            if polled[stations.count].revents != 0 {
                bell.answer()
                mustTick = true
            }
            if polled[stations.count + 1].revents != 0 { noteDeviceEvents() }
        }
        let now = MonotonicClock.now
        for station in stations { station.tick(at: now) }
        announce(at: now)
        if now >= nextCount { count(at: now) }
        if mustTick || now >= ownerDeadline { ownerDeadline = owner.tick(at: now) }
    }

    private func drain(_ station: ScanStation, woken: Int32) {
        if woken & POLLIN != 0 {
            station.drain(limit: Self.packetsPerRound) { packet, instant in
                if station.hasNews { announce(at: instant) }
                owner.packet(packet, at: instant)
            }
        }
        if woken & (POLLERR | POLLHUP | POLLNVAL) != 0 { station.socketFailed(at: MonotonicClock.now) }
    }

    private func noteDeviceEvents() {
        let now = MonotonicClock.now
        for event in deviceEvents?.drain() ?? [] {
            for station in stations { station.deviceChanged(event, at: now) }
        }
    }

    private func announce(at instant: Instant) {
        guard stations.contains(where: \.hasNews) else { return }
        for station in stations { station.hasNews = false }
        let liveness = RadioSummary.liveness(of: stations.map(\.liveness))
        if let liveness, liveness != self.liveness {
            self.liveness = liveness
            owner.livenessChanged(to: liveness, at: instant)
        }
        let availability = RadioSummary.availability(of: stations.compactMap(\.availability))
        if let availability, availability != self.availability {
            self.availability = availability
            owner.availabilityChanged(to: availability, at: instant)
        }
    }

    private func count(at instant: Instant) {
        nextCount = instant + Self.countInterval
        var total = RadioCounters()
        for station in stations {
            station.countDrops()
            total.packets += station.counters.packets
            total.dropped += station.counters.dropped
        }
        owner.counted(total, at: instant)
    }

    /// Rounded up, so that a timer is never met too early and waited for again.
    private func timeout_ms(from now: Instant) -> Int32 {
        let deadline = stations.reduce(min(ownerDeadline, nextCount)) { min($0, $1.nextDeadline) }
        guard deadline > now else { return 0 }
        return Int32(clamping: ((deadline - now).microseconds + 999) / 1_000)
    }
}
