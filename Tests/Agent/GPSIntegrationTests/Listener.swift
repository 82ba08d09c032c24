import Foundation
import Synchronization

@testable import Agent
@testable import Core

/// The client under test, with all its news.
final class Listener {
    let client: GPSDClient
    private(set) var news: [GPSDUpdate] = []
    /// The number of calls of `wake`.
    private let wakes: Counter

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    init(port: UInt16, host: String = "127.0.0.1") throws {
        let wakes = Counter()
        client = try GPSDClient(HostPort(host: host, port: port)) { wakes.count.withLock { $0 += 1 } }
        self.wakes = wakes
    }

    deinit { client.stop() }

    var wakeCount: Int { wakes.count.withLock(\.self) }

    /// The news since the last `forget`.
    func all() -> [GPSDUpdate] {
        news += client.take()
        return news
    }

    func reset() {
        _ = all()
        news = []
    }

    var fixes: [Fix] {
        all().compactMap { if case .report(let report, _) = $0 { try? report.report.fix() } else { nil } }
    }

    var devices: [[String]] {
        all().compactMap { if case .devices(let devices) = $0 { devices } else { nil } }
    }

    var losses: [GPSDFailure] {
        all().compactMap { if case .lost(let failure) = $0 { failure } else { nil } }
    }

    var connections: Int {
        all().count { if case .connected = $0 { true } else { false } }
    }
}
