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
    private var provedAt: Instant = .origin
    private var ownerDeadline: Instant = .origin
    private var nextCount: Instant
    private var pace = ReadingPace()
    /// The latest instant that the owner has been told.
    private var latest: Instant = .origin

    init(settings: RadioSettings, mayAdminister: Bool, owner: Owner, bell: Doorbell, logger: Logger) {
        self.owner = owner
        self.bell = bell
        stations = settings.adapters.map {
            ScanStation($0, settings: settings, mayAdminister: mayAdminister, bell: bell, logger: logger)
        }
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
        announce(at: forward(to: start))
        while !isStopping() { turn() }
        let end = forward(to: MonotonicClock.now)
        for station in stations { station.stop(at: end) }
        count(at: end)
        owner.stopped(at: end)
    }

    /// One wait, and everything that it brought.
    private func turn() {
        for (slot, station) in stations.enumerated() { polled[slot].fd = station.descriptor ?? -1 }
        var mustTick = false
        var hasBacklog = false
        wait(from: MonotonicClock.now)
        // The clock is read before the sockets are asked again: whatever came before `clock` is then read in this turn, even
        // where the process was stopped or starved in between, and no timer takes unread packets for silence.
        let clock = MonotonicClock.now
        if isAnythingReady() {
            let packets = packetsTaken
            // Sockets come before device events, which may close one and open another in its place.
            for (slot, station) in stations.enumerated() where polled[slot].revents != 0 {
                if drain(station, slot, woken: Int32(polled[slot].revents)) { hasBacklog = true }
                mustTick = true
            }
            if !hasBacklog { pace.read(packets: packetsTaken &- packets, at: clock) }
            if polled[stations.count + 1].revents != 0 { noteDeviceEvents() }
            // A repair comes after the device events that it caused, which are nobody else's doing.
            if polled[stations.count].revents != 0 {
                bell.answer()
                for station in stations { station.finishRepair(at: MonotonicClock.now) }
                mustTick = true
            }
        }
        // While packets still wait, time is theirs, and the answer to a command may be among them.
        let now = forward(to: hasBacklog ? latest : clock)
        if !hasBacklog { for station in stations { station.tick(at: now) } }
        announce(at: now)
        if now >= nextCount { count(at: now) }
        if mustTick || now >= ownerDeadline { ownerDeadline = owner.tick(at: now) }
        if owner.needsProof { for station in stations { station.prove(at: now) } }
    }

    /// Returns as soon as there is something to do. While the sockets are left alone only the bell and the device events are
    /// waited for.
    private func wait(from now: Instant) {
        let rests = pace.restsUntil > now
        let timeout = pollTimeout(from: now, rests ? pace.restsUntil : .distantFuture)
        for slot in polled.indices { polled[slot].revents = 0 }
        let skipped = rests ? stations.count : 0
        polled.withUnsafeMutableBufferPointer { all in
            let waited = UnsafeMutableBufferPointer(rebasing: all[skipped...])
            _ = poll(waited.baseAddress, nfds_t(waited.count), timeout)
        }
    }

    /// Asks the sockets again, unless each has said already that there is something to read, which is then read to its end.
    private func isAnythingReady() -> Bool {
        if polled[..<stations.count].allSatisfy({ $0.revents != 0 }) { return true }
        return poll(&polled, nfds_t(polled.count), 0) > 0
    }

    private var packetsTaken: UInt64 { stations.reduce(0) { $0 &+ $1.counters.packets } }

    /// Returns whether packets are still waiting.
    private func drain(_ station: ScanStation, _ slot: Int, woken: Int32) -> Bool {
        var hasBacklog = false
        if woken & POLLIN != 0 {
            hasBacklog = station.drain(limit: Self.packetsPerRound) { packet, arrival in
                let instant = forward(to: arrival)
                if station.hasNews { announce(at: instant) }
                owner.packet(packet, from: slot, at: instant)
            }
        }
        if woken & (POLLERR | POLLHUP | POLLNVAL) != 0 { station.socketFailed(at: MonotonicClock.now) }
        return hasBacklog
    }

    /// For the owner, time never goes back: a packet may be read after a timer that it preceded by microseconds, and two
    /// adapters are read one after the other.
    private func forward(to instant: Instant) -> Instant {
        latest = max(latest, instant)
        return latest
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
        if let proof = stations.map(\.provedAt).max(), proof > provedAt {
            provedAt = proof
            owner.radioProved(at: instant)
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
            total.recoveries.add(station.counters.recoveries)
        }
        owner.counted(total, at: instant)
    }

    /// Milliseconds until the next deadline, rounded up, so that a timer is never met too early and waited for again.
    private func pollTimeout(from now: Instant, _ limit: Instant) -> Int32 {
        let deadline = stations.reduce(min(ownerDeadline, nextCount, limit)) { min($0, $1.nextDeadline) }
        guard deadline > now else { return 0 }
        return Int32(clamping: ((deadline - now).microseconds + 999) / 1_000)
    }
}
