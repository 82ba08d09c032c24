import Agent
import Glibc
import Synchronization

/// Signs of life of the two loops, which each gives about once a second while it makes progress.
final class Pulse: Sendable {
    /// The number of signs of each loop, and whether delivery waits for a disk.
    struct Reading: Equatable {
        var radio: UInt64 = 0
        var delivery: UInt64 = 0
        var isDeliveryAtDisk = false
    }

    private let radio = Atomic<UInt64>(0)
    private let delivery = Atomic<UInt64>(0)
    /// The kernel's number of the delivery loop's thread; 0 while there is none.
    private let deliveryThread = Atomic<pid_t>(0)

    func beatRadio() { radio.wrappingAdd(1, ordering: .relaxed) }

    func beatDelivery() { delivery.wrappingAdd(1, ordering: .relaxed) }

    /// Records the delivery loop's thread; called once, on that thread.
    func beginDelivery() { deliveryThread.store(Self.currentThread() ?? 0, ordering: .relaxed) }

    func read() -> Reading {
        Reading(
            radio: radio.load(ordering: .relaxed), delivery: delivery.load(ordering: .relaxed),
            isDeliveryAtDisk: Self.waitsForDisk(thread: deliveryThread.load(ordering: .relaxed)))
    }

    /// `/proc/thread-self` is a link to `1234/task/1235`.
    private static func currentThread() -> pid_t? {
        var octets = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &octets, octets.count)
        let link = String(decoding: octets.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return link.split(separator: "/").last.flatMap { pid_t($0) }
    }

    /// Returns whether a thread is in the kernel's uninterruptible sleep, state `D`: it waits for a disk that has not answered.
    private static func waitsForDisk(thread: pid_t) -> Bool {
        guard thread > 0, let octets = try? InputFile.readAll("/proc/self/task/\(thread)/stat", limit: 1_024)
        else { return false }
        return state(inStat: String(decoding: octets, as: UTF8.self)) == "D"
    }

    /// proc(5): `1234 (any name) D …`. The name may hold anything, even brackets, so the state follows the last
    /// bracket.
    static func state(inStat text: String) -> Character? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        return text[end...].dropFirst(2).first
    }
}
