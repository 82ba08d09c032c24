import Glibc
import Testing

@testable import Agent

@Suite("A thread for one piece of work")
struct WorkerThreadTests {
    /// The pages of address space. Each thread that was not joined keeps its stack's, usually 8 MiB.
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
        // The time that a busy machine takes.
        #expect(poll(&polled, 1, 300_000) == 1)
        return worker
    }

    @Test("A thread works at once, and joining twice counts as joining once")
    func joins() throws {
        let worker = try ringing()
        worker.join()
        worker.join()
    }

    @Test("A thousand threads that were not joined leave no stacks behind")
    func leavesNothing() throws {
        let before = try addressSpacePages()
        for _ in 0..<1_000 { _ = try ringing() }
        // Other tests run beside this one, so it is not exact: a thousand stacks are two million pages.
        #expect(try addressSpacePages() - before < 1_000_000)
    }
}
