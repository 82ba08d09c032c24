import CBluetooth
import Core
import Glibc

/// The packets of one read from a raw HCI socket, each with the kernel's time stamp.
///
/// On a busy radio some tens of packets wait at each wake-up. A system call for each would be most of the cost of
/// reading them.
package final class PacketBatch {
    /// At 3,000 packets a second, 60 wait after the 20 ms for which `ReadingPace` lets the thread rest.
    static let capacity = 64
    /// The longest packet is a command, of 1 + 3 + 255 octets: the socket also gets copies of what is sent.
    private static let packetSize = 264
    /// A control message with a time stamp takes 32 octets. The kernel truncates a longer one.
    private static let controlSize = 64

    private let packets = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity * packetSize, alignment: 16)
    private let controls = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity * controlSize, alignment: 16)
    private let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: capacity)
    private let headers = UnsafeMutableBufferPointer<beacond_mmsghdr>.allocate(capacity: capacity)
    /// The number of headers that the last call wrote into.
    private var count = 0

    init() {
        for index in 0..<Self.capacity {
            let packet = packets.baseAddress?.advanced(by: index * Self.packetSize)
            vectors.initializeElement(at: index, to: iovec(iov_base: packet, iov_len: Self.packetSize))
            var header = msghdr()
            header.msg_iov = vectors.baseAddress?.advanced(by: index)
            header.msg_iovlen = 1
            header.msg_control = controls.baseAddress?.advanced(by: index * Self.controlSize)
            header.msg_controllen = .init(Self.controlSize)
            headers.initializeElement(at: index, to: beacond_mmsghdr(msg_hdr: header, msg_len: 0))
        }
    }

    deinit {
        packets.deallocate()
        controls.deallocate()
        vectors.deallocate()
        headers.deallocate()
    }

    /// Reads the packets that wait on a socket, without waiting for more.
    ///
    /// - Parameter limit: the most packets to read; `capacity` limits them too.
    /// - Returns: the number of packets. Where it is below both limits, no other packet waited.
    /// - Throws: `SystemError` with the socket's error.
    package func receive(from descriptor: Int32, limit: Int) throws(SystemError) -> Int {
        try receive(limit: limit) { headers, maxCount in beacond_recvmmsg(descriptor, headers, maxCount) }
    }

    /// - Parameter recvmmsg: works like the system call of that name, without waiting; a simulated kernel has its own.
    package func receive(
        limit: Int, _ recvmmsg: (UnsafeMutablePointer<beacond_mmsghdr>?, UInt32) -> Int
    ) throws(SystemError) -> Int {
        // The kernel has replaced the size of each control buffer by the length of its message.
        for index in 0..<count { headers[index].msg_hdr.msg_controllen = .init(Self.controlSize) }
        count = 0
        let maxCount = min(max(0, limit), Self.capacity)
        var received: Int
        repeat {
            received = recvmmsg(headers.baseAddress, UInt32(maxCount))
        } while received < 0 && errno == EINTR
        if received < 0 {
            guard errno == EAGAIN else { throw .last("recvmmsg") }
            return 0
        }
        count = min(received, maxCount)
        return count
    }

    /// The octets of a packet of the last call; none where the socket's other end is closed. Valid until the next call.
    package func packet(_ index: Int) -> UnsafeRawBufferPointer {
        let begin = index * Self.packetSize
        let length = min(Int(headers[index].msg_len), Self.packetSize)
        return UnsafeRawBufferPointer(rebasing: packets[begin..<begin + length])
    }

    /// The time at which the kernel received the packet; `nil` where there is no stamp.
    ///
    /// Reads the control message HCI_CMSG_TSTAMP, which `RawAdapterSocket.prepare` asks for: a header of length, level
    /// and type, then seconds and microseconds, each as wide as a `long` of this process.
    func timeStamp(_ index: Int) -> WallTime? {
        let begin = index * Self.controlSize
        let control = UnsafeRawBufferPointer(rebasing: controls[begin..<begin + Self.controlSize])
        let (offset, width) = (MemoryLayout<cmsghdr>.size, MemoryLayout<Int>.size)
        guard Int(headers[index].msg_hdr.msg_controllen) >= offset + 2 * width else { return nil }
        let header = control.load(as: cmsghdr.self)
        guard header.cmsg_level == SOL_HCI, header.cmsg_type == HCI_CMSG_TSTAMP,
            Int(header.cmsg_len) >= offset + 2 * width
        else { return nil }
        let seconds = control.loadUnaligned(fromByteOffset: offset, as: Int.self)
        let microseconds = control.loadUnaligned(fromByteOffset: offset + width, as: Int.self)
        return WallTime(microseconds: Int64(seconds) &* 1_000_000 &+ Int64(microseconds))
    }
}

/// Computes a packet's time of arrival on the monotonic clock.
///
/// The kernel stamps packets with the wall clock, which may be stepped at any moment. So only the packet's age comes from
/// the stamp. The packet arrived no earlier than the packet before it, no earlier than the queue was last empty, and not
/// in the future.
struct ReceiveTime: Hashable, Sendable {
    private var earliest: Instant

    /// - Parameter instant: the time at which the socket was opened.
    init(at instant: Instant) { earliest = instant }

    /// - Parameters:
    ///   - stamp: the kernel's stamp; `nil` where there is none.
    ///   - wall: the wall clock's time now, read together with `now`.
    mutating func arrival(stamp: WallTime?, wall: WallTime, now: Instant) -> Instant {
        let age = stamp.map { wall - $0 } ?? .zero
        earliest = max(earliest, now - max(age, .zero))
        return earliest
    }

    /// Records that no packet was left at this instant.
    mutating func foundEmpty(at instant: Instant) { earliest = max(earliest, instant) }
}
