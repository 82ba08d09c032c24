import ServiceLifecycle
import Synchronization
import UnixSignals

/// SIGTERM, SIGINT and SIGHUP, looked after from before the first start until the process ends.
///
/// A reload ends one group of services and starts another. A signal that comes in between belongs to neither, so they are
/// noted here, and each group is told of what came before it.
final class RunSignals: Sendable {
    private struct State {
        var isStopping = false
        var isReloadAsked = false
        /// Who has to be told.
        var group: ServiceGroup?
        var bell: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// From here on the signals are noted, and end nothing by themselves.
    init() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        Task { for await signal in signals { await note(signal) } }
    }

    /// SIGTERM or SIGINT came, at whatever time.
    var isStopping: Bool { state.withLock(\.isStopping) }

    /// Has a stop end this group from here on, also one that came before.
    func willRun(_ group: ServiceGroup) async {
        let isStopping = state.withLock { state in
            state.group = group
            return state.isStopping
        }
        if isStopping { await group.triggerGracefulShutdown() }
    }

    /// Rings whenever SIGHUP has come, and at once where one has come that nobody took.
    func reloadBell() -> AsyncStream<Void> {
        let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.bell = bell
            if state.isReloadAsked { bell.yield() }
        }
        return stream
    }

    /// Whether SIGHUP has come since the last call. To be called before the configuration is read: one that comes later
    /// may mean a later configuration.
    func takeReload() -> Bool {
        state.withLock { state in
            defer { state.isReloadAsked = false }
            return state.isReloadAsked
        }
    }

    private func note(_ signal: UnixSignal) async {
        let isStop = signal != .sighup
        let group = state.withLock { state in
            if isStop {
                state.isStopping = true
            } else {
                state.isReloadAsked = true
                state.bell?.yield()
            }
            return state.group
        }
        if isStop { await group?.triggerGracefulShutdown() }
    }
}
