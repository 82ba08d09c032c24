import Core
import Glibc
import Logging

/// The body of the radio loop's thread: wait, drain, decide, report.
final class RadioRunner<Owner: RadioOwner> {
    /// The most packets from one adapter before timers and the other adapters have their turn.
    private static var packetsPerRound: Int { 512 }
    private static var countInterval: TimeSpan { .seconds(1) }

    /// The receiver of everything that the radio hears.
    private(set) var owner: Owner
    private let stations: [ScanStation]
    private let kernel: any BluetoothKernel
    private let bell: Doorbell
    /// The stations' sockets, the bell and the device events.
    private var polled: [pollfd]
    private var availability: RadioAvailability?
    /// The liveness that the owner got last.
    private(set) var liveness: RadioLiveness?
    private var provedAt: Instant = .origin
    /// The owner's wait since its last tick.
    private var ownerWait = EngineWait(due: .origin)
    private var nextCount: Instant
    private var pace = ReadingPace()
    /// The latest instant that the owner got.
    private var latest: Instant = .origin

    init(
        settings: RadioSettings, mayAdminister: Bool, owner: Owner, kernel: any BluetoothKernel, bell: Doorbell,
        logger: Logger
    ) {
        self.owner = owner
        self.kernel = kernel
        self.bell = bell
        stations = settings.adapters.map {
            ScanStation(
                $0, settings: settings, mayAdminister: mayAdminister, kernel: kernel, bell: bell, logger: logger)
        }
        let descriptors = stations.map { _ in -1 } + [bell.descriptor, kernel.deviceEventsDescriptor]
        polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        nextCount = kernel.now + Self.countInterval
        for station in stations {
            station.avoid { [unowned self, unowned station] in
                Set(self.stations.filter { $0 !== station }.compactMap(\.index))
            }
        }
    }

    func run(until isStopping: () -> Bool) {
        start()
        while !isStopping() {
            wait()
            turn()
        }
        stop()
    }

    package func start() {
        let start = kernel.now
        for station in stations { station.start(at: start) }
        announce(at: forward(to: start))
    }

    func stop() {
        let end = forward(to: kernel.now)
        for station in stations { station.stop(at: end) }
        count(at: end)
        owner.stopped(at: end)
    }

    /// Returns as soon as `turn` has something to do. While reading rests, it waits for the bell and the device events
    /// alone.
    func wait() {
        for (slot, station) in stations.enumerated() { polled[slot].fd = station.descriptor }
        for slot in polled.indices { polled[slot].revents = 0 }
        let now = kernel.now
        let rests = pace.restsUntil > now
        let timeout = pollTimeout(from: now, rests ? pace.restsUntil : .distantFuture)
        let skipped = rests ? stations.count : 0
        polled.withUnsafeMutableBufferPointer { all in
            _ = kernel.poll(UnsafeMutableBufferPointer(rebasing: all[skipped...]), timeout_ms: timeout)
        }
    }

    /// Does all pending work, without waiting.
    func turn() {
        var mustTick = false
        var hasBacklog = false
        // The clock is read before the sockets are polled again. Packets that came before `clock` are then read in this
        // turn, even where the process was stopped or starved in between. So no timer takes unread packets for silence.
        let clock = kernel.now
        if isAnythingReady() {
            let packets = packetsTaken
            // Sockets come before device events, which may close one socket and open another in its place.
            for (slot, station) in stations.enumerated() where polled[slot].revents != 0 {
                if read(station, slot) { hasBacklog = true }
                mustTick = true
            }
            if !hasBacklog { pace.read(packets: packetsTaken &- packets, at: clock) }
            if polled[stations.count + 1].revents != 0 { followDeviceEvents() }
            // A repair ends after the device events that it caused, so that they are not taken for another process's.
            if polled[stations.count].revents != 0 {
                bell.answer()
                for station in stations { station.finishRepair(at: kernel.now) }
                mustTick = true
            }
        }
        // While packets still wait, time stays at theirs: the answer to a command may be among them.
        let now = forward(to: hasBacklog ? latest : clock)
        if !hasBacklog { for station in stations { station.tick(at: now) } }
        announce(at: now)
        if now >= nextCount { count(at: now) }
        if mustTick || now >= ownerWait.due { ownerWait = owner.tick(at: now) }
        if ownerWait.needsProof { for station in stations { station.prove(at: now) } }
    }

    /// Polls the sockets again, unless each is known to have packets, which are then read to the end.
    private func isAnythingReady() -> Bool {
        if polled[..<stations.count].allSatisfy({ $0.revents != 0 }) { return true }
        return polled.withUnsafeMutableBufferPointer { kernel.poll($0, timeout_ms: 0) } > 0
    }

    private var packetsTaken: UInt64 { stations.reduce(0) { $0 &+ $1.packets } }

    /// Returns whether packets are still waiting.
    private func read(_ station: ScanStation, _ slot: Int) -> Bool {
        station.read(ready: polled[slot].revents, limit: Self.packetsPerRound) { packet, arrival in
            let instant = forward(to: arrival)
            if station.hasUpdate { announce(at: instant) }
            owner.packet(packet, from: slot, at: instant)
        }
    }

    /// Keeps the owner's time from going back: a packet may be read after a timer that came microseconds later, and
    /// adapters are read one after the other.
    private func forward(to instant: Instant) -> Instant {
        latest = max(latest, instant)
        return latest
    }

    private func followDeviceEvents() {
        let now = kernel.now
        for event in kernel.takeDeviceEvents() {
            for station in stations { station.deviceChanged(event, at: now) }
        }
    }

    private func announce(at instant: Instant) {
        guard stations.contains(where: \.hasUpdate) else { return }
        for station in stations { station.hasUpdate = false }
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
            total.packets += station.packets
            total.dropped += station.droppedPackets
            total.recoveries.merge(station.recoveries, uniquingKeysWith: +)
        }
        owner.counted(total, at: instant)
    }

    /// Milliseconds until the next deadline, rounded up, so that the wait never ends before the timer is due.
    private func pollTimeout(from now: Instant, _ limit: Instant) -> Int32 {
        let deadline = stations.reduce(min(ownerWait.due, nextCount, limit)) { min($0, $1.nextDeadline) }
        guard deadline > now else { return 0 }
        return Int32(clamping: ((deadline - now).microseconds + 999) / 1_000)
    }
}

/// The pace at which the sockets are read.
///
/// A wake-up costs many times as much as reading and handling a report. So on a busy radio the loop lets reports wait
/// for a moment and reads them together. On a quiet radio it reads each report as it comes. A report's time stays
/// exact, because the kernel has stamped it.
struct ReadingPace: Hashable, Sendable {
    /// The longest wait of a report. No subscriber notices it, and it limits wake-ups to 50 a second.
    static var rest: TimeSpan { .milliseconds(20) }
    /// The span over which packets are counted. With `busyPackets` in it the radio is busy: 100 a second.
    static var window: TimeSpan { .milliseconds(100) }
    static var busyPackets: UInt64 { 10 }

    /// The time until which sockets that have only packets are not read.
    private(set) var restsUntil: Instant = .origin
    private var windowBegan: Instant = .origin
    private var packetsInWindow: UInt64 = 0
    private var isBusy = false

    /// The sockets were read until they were empty.
    ///
    /// - Parameter packets: the number of packets that were read.
    mutating func read(packets: UInt64, at instant: Instant) {
        let elapsed = instant - windowBegan
        if elapsed >= Self.window {
            // A longer window, without packets at its end, was a quiet one.
            isBusy = packetsInWindow >= Self.busyPackets && elapsed < Self.window + Self.window
            (windowBegan, packetsInWindow) = (instant, 0)
        }
        packetsInWindow &+= packets
        if isBusy && packets > 0 { restsUntil = instant + Self.rest }
    }
}

/// Combines several adapters into one radio, which hears what any of them hears.
enum RadioSummary {
    /// The availability that is nearest to scanning.
    static func availability(of all: [RadioAvailability]) -> RadioAvailability? { all.max { rank($0) < rank($1) } }

    /// Live if any adapter is; otherwise suspect if any is being probed; otherwise blind. Deaf since the last moment at
    /// which any of them heard.
    static func liveness(of all: [RadioLiveness]) -> RadioLiveness? {
        var suspect: Instant?
        var blind: Instant?
        for liveness in all {
            switch liveness {
            case .live: return .live
            case .suspect(let since): suspect = max(suspect ?? since, since)
            case .blind(let since): blind = max(blind ?? since, since)
            }
        }
        if let suspect { return .suspect(since: max(suspect, blind ?? suspect)) }
        return blind.map { .blind(since: $0) }
    }

    private static func rank(_ availability: RadioAvailability) -> Int {
        switch availability {
        case .absent: 0
        case .unauthorized: 1
        case .blocked: 2
        case .off: 3
        case .stalled: 4
        case .unusable: 5
        case .scanning: 6
        }
    }
}
