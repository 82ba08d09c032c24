import Agent
import Core
import Synchronization

/// The state that the radio loop fills and the view reads.
final class SharedScan: Sendable {
    private struct State {
        var scan: ScanState
        var availability: RadioAvailability?
        var dropped: UInt64 = 0
    }

    private let state: Mutex<State>
    private let recent: RecentEvents?

    /// - Parameter recent: the ring of events for a capture file.
    init(_ scan: ScanState, recent: RecentEvents?) {
        state = Mutex(State(scan: scan))
        self.recent = recent
    }

    fileprivate func receive(_ event: Span<UInt8>, from adapter: Int, at instant: Instant) {
        state.withLock { $0.scan.receive(event, from: adapter, at: instant) }
        recent?.push(event, at: instant)
    }

    fileprivate func record(_ availability: RadioAvailability) { state.withLock { $0.availability = availability } }

    fileprivate func record(dropped: UInt64) { state.withLock { $0.dropped = dropped } }

    func look(at now: Instant) -> (snapshot: ScanSnapshot, availability: RadioAvailability?, dropped: UInt64) {
        state.withLock { ($0.scan.snapshot(at: now), $0.availability, $0.dropped) }
    }
}

/// Passes everything to the scan, on the radio loop's thread.
struct ScanOwner: RadioOwner {
    let scan: SharedScan

    mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant) {
        scan.receive(packet.extracting(droppingFirst: 1), from: adapter, at: instant)
    }

    mutating func tick(at instant: Instant) -> EngineWait { .forReports }

    mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant) {}

    mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant) {
        scan.record(availability)
    }

    mutating func counted(_ counters: RadioCounters, at instant: Instant) { scan.record(dropped: counters.dropped) }

    mutating func stopped(at instant: Instant) {}
}
