import Dispatch
import Synchronization

/// Waits on this thread for asynchronous work.
///
/// Only `run` has such work. With a main function that is asynchronous itself, every command would give its thread up to
/// the runtime before it begins, and a profiler that emulates the processor can't follow that.
final class AsyncWork: Sendable {
    private let outcome = Mutex<Result<Void, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    private init() {}

    /// - Throws: what the work throws.
    static func finish(_ work: @escaping @Sendable () async throws -> Void) throws {
        let waiting = AsyncWork()
        Task.detached {
            let outcome: Result<Void, any Error>
            do {
                try await work()
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            waiting.outcome.withLock { $0 = outcome }
            waiting.done.signal()
        }
        waiting.done.wait()
        try waiting.outcome.withLock { $0 }?.get()
    }
}
