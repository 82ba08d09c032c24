import Glibc
import Testing

@testable import Agent

@Suite("A thread for one piece of work")
struct WorkerThreadTests {
    /// Pages of address space, of which each thread that nobody cleared away keeps its stack's: 8 MiB as a rule.
    private func addressSpacePages() throws -> Int {
        var octets = [UInt8](repeating: 0, count: 64)
        let descriptor = open("/proc/self/statm", O_RDONLY)
        defer { close(descriptor) }
        let count = read(descriptor, &octets, octets.count)
        let text = String(decoding: octets.prefix(max(0, count)), as: UTF8.self)
        return try #require(text.split(separator: " ").first.flatMap { Int($0) })
    }

    /// Starts a thread that rings, and waits for that.
    private func ringing() throws -> WorkerThread {
        let bell = try Doorbell()
        let worker = try WorkerThread { bell.ring() }
        var polled = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
        // As long as a machine takes that has much other work.
        #expect(poll(&polled, 1, 300_000) == 1)
        return worker
    }

    @Test("It works at once, and joining twice is joining once")
    func joins() throws {
        let worker = try ringing()
        worker.join()
        worker.join()
    }

    @Test("A thousand that nobody joined leave no stacks behind")
    func leavesNothing() throws {
        let before = try addressSpacePages()
        for _ in 0..<1_000 { _ = try ringing() }
        // Other tests run beside this one, so it is not exact: a thousand stacks are two million pages.
        #expect(try addressSpacePages() - before < 1_000_000)
    }
}
