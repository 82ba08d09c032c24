import ServiceLifecycle
import Synchronization
import UnixSignals

/// Catches SIGTERM, SIGINT and SIGHUP, from before the first start until the process ends.
///
/// A reload ends one group of services and starts another. A signal between the two would reach neither. So signals are
/// recorded here, and each group learns of those that came before it.
final class RunSignals: Sendable {
    private struct State {
        var isStopping = false
        var isReloadAsked = false
        /// The gateway has taken settings over MQTT since the last reload.
        var hasNewSettings = false
        /// The group that a signal stops.
        var group: ServiceGroup?
        var bell: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    /// Begins to record the signals, which end nothing by themselves any more.
    init() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        Task { for await signal in signals { await record(signal) } }
    }

    /// True if SIGTERM or SIGINT has come.
    var isStopping: Bool { state.withLock(\.isStopping) }

    /// Makes a stop end this group from now on, even a stop that came before.
    func willRun(_ group: ServiceGroup) async {
        let isStopping = state.withLock { state in
            state.group = group
            return state.isStopping
        }
        if isStopping { await group.triggerGracefulShutdown() }
    }

    /// Rings at each SIGHUP, and at once for one that no reader has taken yet.
    func reloadBell() -> AsyncStream<Void> {
        let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            state.bell = bell
            if state.isReloadAsked { bell.yield() }
        }
        return stream
    }

    /// Asks for a start with settings that the gateway has taken over MQTT.
    func askNewSettings() {
        state.withLock { $0.hasNewSettings = true }
        askReload()
    }

    private func askReload() {
        state.withLock { state in
            state.isReloadAsked = true
            state.bell?.yield()
        }
    }

    /// Returns whether the gateway has taken settings since the last call.
    func takeNewSettings() -> Bool {
        state.withLock { state in
            defer { state.hasNewSettings = false }
            return state.hasNewSettings
        }
    }

    /// Returns whether SIGHUP has come since the last call. Call it before reading the configuration: a later signal may mean a
    /// later configuration.
    func takeReload() -> Bool {
        state.withLock { state in
            defer { state.isReloadAsked = false }
            return state.isReloadAsked
        }
    }

    private func record(_ signal: UnixSignal) async {
        let isStop = signal != .sighup
        guard isStop else { return askReload() }
        let group = state.withLock { state in
            state.isStopping = true
            return state.group
        }
        await group?.triggerGracefulShutdown()
    }
}
