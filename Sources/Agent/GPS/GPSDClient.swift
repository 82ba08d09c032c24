import Core
import Synchronization

/// The client of gpsd, on a thread of its own. Before `start` there is neither thread nor socket.
package final class GPSDClient: Sendable {
    private struct State {
        var updates = GPSDUpdateQueue()
        var worker: WorkerThread?
        var isStarted = false
        var isListening = false
        var isStopping = false
    }

    private let place: HostPort
    private let wake: @Sendable () -> Void
    private let bell: Doorbell
    private let state = Mutex(State())

    /// - Parameters:
    ///   - place: where gpsd listens (`location.gpsd`).
    ///   - wake: called on the client's thread when `take` has updates again after it had none.
    /// - Throws: `SystemError` where the process has no file descriptors left.
    package init(_ place: HostPort, wake: @escaping @Sendable () -> Void) throws(SystemError) {
        self.place = place
        self.wake = wake
        bell = try Doorbell()
    }

    /// Starts the thread, once. gpsd need not be there: the client retries after 1 s, and then after pauses of up to a
    /// minute.
    ///
    /// - Throws: `SystemError` where no thread can be made.
    package func start() throws(SystemError) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopping
        }
        guard isFirst else { return }
        let worker = try WorkerThread { [self] in
            let link = GPSDLink(place) { self.push($0) }
            link.start()
            while true {
                let (isListening, isStopping) = state.withLock { ($0.isListening, $0.isStopping) }
                if isStopping { break }
                link.listen(isListening)
                link.wait(bell: bell.descriptor)
                bell.answer()
            }
            link.stop()
        }
        state.withLock { $0.worker = worker }
    }

    /// Turns the receivers on or off; from any thread.
    package func listen(_ isListening: Bool) {
        state.withLock { $0.isListening = isListening }
        bell.ring()
    }

    /// The updates since the last call, in order; from any thread.
    package func take() -> [GPSDUpdate] { state.withLock { $0.updates.take() } }

    /// Ends the connection and the thread, at once. A host lookup that is still under way ends by itself.
    package func stop() {
        let worker = state.withLock { state in
            state.isStopping = true
            defer { state.worker = nil }
            return state.worker
        }
        bell.ring()
        worker?.join()
    }

    private func push(_ update: GPSDUpdate) {
        if state.withLock({ $0.updates.push(update) }) { wake() }
    }
}

/// News that wait to be taken. The agent usually takes them within milliseconds. If it hangs, the queue drops the
/// oldest reports first, because only the gateway's present place counts.
struct GPSDUpdateQueue: Sendable {
    static let limit = 256

    private var updates: [GPSDUpdate] = []
    private(set) var dropped: UInt64 = 0

    var count: Int { updates.count }

    /// Returns whether the queue was empty.
    mutating func push(_ new: GPSDUpdate) -> Bool {
        defer { updates.append(new) }
        guard updates.count >= Self.limit else { return updates.isEmpty }
        dropped &+= 1
        updates.remove(at: updates.firstIndex(where: \.isOnlyOfItsMoment) ?? updates.startIndex)
        return false
    }

    mutating func take() -> [GPSDUpdate] {
        defer { updates.removeAll(keepingCapacity: true) }
        return updates
    }
}

extension GPSDUpdate {
    /// True if no later update depends on this one.
    fileprivate var isOnlyOfItsMoment: Bool {
        switch self {
        case .report, .malformed, .complaint: true
        case .connected, .devices, .lost: false
        }
    }
}
