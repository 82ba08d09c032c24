import Glibc
import Testing

@testable import Agent

/// On a pair of sockets that keep packets apart, as a raw HCI socket does.
@Suite("Packets taken with one call")
struct PacketBatchTests {
    private final class Pair {
        let descriptors: [Int32]

        init() throws {
            var descriptors: [Int32] = [-1, -1]
            let result = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &descriptors)
            try #require(result == 0)
            self.descriptors = descriptors
        }

        deinit { for descriptor in descriptors { close(descriptor) } }

        var reader: Int32 { descriptors[0] }

        func send(_ octets: [UInt8]) { Glibc.send(descriptors[1], octets, octets.count, 0) }
        func hangUp() { shutdown(descriptors[1], Int32(SHUT_RDWR)) }
    }

    private let batch = PacketBatch()

    private func taken(_ count: Int) -> [[UInt8]] { (0..<count).map { Array(batch.packet($0)) } }

    @Test("All waiting packets are taken, in order and with their lengths")
    func takesAll() throws {
        let pair = try Pair()
        let packets: [[UInt8]] = [[4, 0x3E, 0], [4, 0x0E, 1, 7], Array(repeating: 9, count: 259)]
        packets.forEach(pair.send)
        let count = try batch.receive(from: pair.reader, limit: 512)
        #expect(taken(count) == packets)
    }

    @Test("An empty queue gives no packet and no error")
    func nothingWaiting() throws {
        let pair = try Pair()
        #expect(try batch.receive(from: pair.reader, limit: 512) == 0)
    }

    @Test("At most the limit is taken, and the rest the next time")
    func limit() throws {
        let pair = try Pair()
        for number in 0..<5 { pair.send([4, UInt8(number)]) }
        #expect(taken(try batch.receive(from: pair.reader, limit: 3)) == [[4, 0], [4, 1], [4, 2]])
        #expect(taken(try batch.receive(from: pair.reader, limit: 3)) == [[4, 3], [4, 4]])
    }

    @Test("More than the capacity takes several calls and loses nothing")
    func capacity() throws {
        let pair = try Pair()
        let sent = (0..<PacketBatch.capacity + 10).map { [4, UInt8($0)] }
        sent.forEach(pair.send)
        let first = taken(try batch.receive(from: pair.reader, limit: .max))
        #expect(first.count == PacketBatch.capacity)
        #expect(first + taken(try batch.receive(from: pair.reader, limit: .max)) == sent)
    }

    @Test("A packet after a longer one contains nothing of it")
    func noRemains() throws {
        let pair = try Pair()
        pair.send(Array(repeating: 9, count: 200))
        _ = try batch.receive(from: pair.reader, limit: 1)
        pair.send([4, 1])
        #expect(taken(try batch.receive(from: pair.reader, limit: 1)) == [[4, 1]])
    }

    @Test("An oversized packet is cut off, and the packet after it is whole")
    func tooLong() throws {
        let pair = try Pair()
        pair.send(Array(repeating: 9, count: 4_000))
        pair.send([4, 1])
        let packets = taken(try batch.receive(from: pair.reader, limit: 512))
        #expect(packets.map(\.count) == [264, 2])
    }

    @Test("Packets before the other end's close are taken, then an empty packet reports the close")
    func hungUp() throws {
        let pair = try Pair()
        pair.send([4, 1])
        pair.hangUp()
        let packets = taken(try batch.receive(from: pair.reader, limit: 512))
        #expect(packets.prefix(2) == [[4, 1], []])
    }

    @Test("An invalid descriptor gives the call and the error")
    func noDescriptor() {
        #expect(throws: SystemError("recvmmsg", code: EBADF)) { try batch.receive(from: -1, limit: 1) }
    }

    @Test("A packet without a timestamp has none")
    func noStamp() throws {
        let pair = try Pair()
        pair.send([4, 1])
        _ = try batch.receive(from: pair.reader, limit: 1)
        #expect(batch.timeStamp(0) == nil)
    }
}
