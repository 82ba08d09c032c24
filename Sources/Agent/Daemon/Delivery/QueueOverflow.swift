import Core

/// Region changes that the queue has no room for. Their events are lost, and counted so that a gap can be stated; of each
/// region instance the last state is kept, so that what is retained and stored is right in the end.
///
/// It is bounded by the number of region instances.
struct QueueOverflow {
    /// Events that will never have a number of their own.
    private(set) var lostEvents: Int64 = 0
    private var states: [GatewayOutput] = []
    private var indices: [RegionInstanceID: Int] = [:]

    /// - Parameter output: what becomes its last state here; see `OutputHandling.Shedding.reduced`.
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

    /// What became of the regions in the end.
    var lastStates: [GatewayOutput] { states }
}
