import Agent
import Core
import Synchronization

/// The air as a command that only looks has it: the radio loop fills it, and the command reads it.
final class SharedRadio<Content: Sendable>: Sendable {
    struct State: Sendable {
        var content: Content
        /// `nil` until it is known.
        var availability: RadioAvailability?
        /// The packets that the kernel dropped because they were not read in time.
        var dropped: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ content: Content) { state = Mutex(State(content: content)) }

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
}

/// Passes everything to the command, on the radio loop's thread.
struct SharedRadioOwner<Content: Sendable>: RadioOwner {
    let shared: SharedRadio<Content>
    /// Takes an HCI event, from its event code on.
    let receive: (inout Content, Span<UInt8>, _ adapter: Int, Instant) -> Void

    mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant) {
        let event = packet.extracting(droppingFirst: 1)
        shared.withLock { receive(&$0.content, event, adapter, instant) }
    }

    mutating func tick(at instant: Instant) -> EngineWait { .forReports }

    mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant) {}

    mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant) {
        shared.withLock { $0.availability = availability }
    }

    mutating func counted(_ counters: RadioCounters, at instant: Instant) {
        shared.withLock { $0.dropped = counters.dropped }
    }

    mutating func stopped(at instant: Instant) {}
}
