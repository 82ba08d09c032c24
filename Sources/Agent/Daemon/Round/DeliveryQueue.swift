import Core
import Glibc
import Synchronization

/// The only bounded queue between the radio loop and the delivery loop. A slow disk or a dead broker fills it, but does
/// not delay the radio loop.
package final class DeliveryQueue: Sendable {
    /// The content that the radio loop hands over.
    package struct Content {
        package var outputs: [GatewayOutput] = []
        /// Region changes after `outputs` that found no room.
        var overflow = QueueOverflow()
        /// The latest availability, where it has changed.
        var availability: RadioAvailability?
        package var figures: GatewayFigures?
        package var radio = RadioCounters()
        var isClosed = false
    }

    private struct State {
        var content = Content()
        var shedRanging: UInt64 = 0
        var lostTransitions: UInt64 = 0
    }

    private let state = Mutex(State())
    private let bell: Doorbell

    package init() throws(SystemError) { bell = try Doorbell() }

    /// Readable while the queue has content.
    var wake: Int32 { bell.descriptor }

    func push(_ outputs: [GatewayOutput]) {
        if outputs.isEmpty { return }
        change { state in
            for output in outputs {
                let count = state.content.outputs.count
                switch output.handling.shedding {
                case .counted(let limit) where count >= limit:
                    state.shedRanging += 1
                case .reduced(let limit) where count >= limit:
                    state.lostTransitions += 1
                    state.content.overflow.add(output)
                case .silent(let limit) where count >= limit:
                    break
                case .counted, .reduced, .silent, .never:
                    state.content.outputs.append(output)
                }
            }
        }
    }

    func push(_ availability: RadioAvailability) { change { $0.content.availability = availability } }

    /// Adds figures for the next round, without waking the delivery loop.
    func push(_ figures: GatewayFigures, _ radio: RadioCounters) {
        state.withLock {
            $0.content.figures = figures
            $0.content.radio = radio
        }
    }

    package func finish() { change { $0.content.isClosed = true } }

    /// Returns once the radio's availability is known, the queue has ended, or `limit` has passed.
    func waitForAvailability(for limit: TimeSpan) {
        let step_us: Int64 = 5_000
        for _ in 0..<max(0, limit.microseconds / step_us) {
            if state.withLock({ $0.content.availability != nil || $0.content.isClosed }) { return }
            usleep(UInt32(step_us))
        }
    }

    package func take() -> Content {
        bell.answer()
        return state.withLock { state in
            let content = state.content
            state.content.outputs = []
            state.content.overflow = QueueOverflow()
            state.content.availability = nil
            return content
        }
    }

    /// The number of shed outputs and lost changes so far.
    var drops: (ranging: UInt64, transitions: UInt64) { state.withLock { ($0.shedRanging, $0.lostTransitions) } }

    private func change(_ body: (inout sending State) -> Void) {
        state.withLock { body(&$0) }
        bell.ring()
    }
}

/// Region changes for which the queue has no room. Their events are lost, and counted so that a gap can be reported.
/// The last state of each instance is kept, so that the retained and stored states are right in the end.
///
/// The number of region instances bounds its size.
struct QueueOverflow {
    /// Events that will never have a number of their own.
    private(set) var lostEvents: Int64 = 0
    private var states: [GatewayOutput] = []
    private var indices: [RegionInstanceID: Int] = [:]

    /// - Parameter output: the new last state of its instance; see `OutputHandling.Shedding.reduced`.
    mutating func add(_ output: GatewayOutput) {
        guard case .transition(let transition, let record) = output else { return }
        if transition.event != nil { lostEvents += 1 }
        var state = transition
        state.event = nil
        let output = GatewayOutput.transition(state, record: record)
        if let index = indices[transition.instance] {
            states[index] = output
        } else {
            indices[transition.instance] = states.count
            states.append(output)
        }
    }

    var lastStates: [GatewayOutput] { states }
}
