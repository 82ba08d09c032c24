import CBluetooth
import Core
import Glibc

/// The packets of one read from a raw HCI socket, each with the kernel's time stamp.
///
/// On a busy radio some forty packets wait at each wake-up. A system call for each would be most of the cost of reading
/// them.
package final class PacketBatch {
    /// More packets than wait after a rest of `ReadingPace` at 3,000 packets a second.
    static let capacity = 64
    /// The longest packet that a filter passes is a command of 259 octets.
    private static let packetRoom = 264
    /// A control message with a time stamp takes 32 octets.
    private static let controlRoom = 64

    private let packets = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity * packetRoom, alignment: 16)
    private let controls = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity * controlRoom, alignment: 16)
    private let parts = UnsafeMutableBufferPointer<iovec>.allocate(capacity: capacity)
    private let headers = UnsafeMutableBufferPointer<beacond_mmsghdr>.allocate(capacity: capacity)
    /// The number of headers that the last call wrote into.
    private var count = 0

    init() {
        for place in 0..<Self.capacity {
            let packet = UnsafeMutableRawBufferPointer(rebasing: packets[Self.room(place, of: Self.packetRoom)])
            let control = UnsafeMutableRawBufferPointer(rebasing: controls[Self.room(place, of: Self.controlRoom)])
            parts.initializeElement(at: place, to: iovec(iov_base: packet.baseAddress, iov_len: packet.count))
            var header = msghdr()
            header.msg_iov = parts.baseAddress?.advanced(by: place)
            header.msg_iovlen = 1
            header.msg_control = control.baseAddress
            header.msg_controllen = .init(control.count)
            headers.initializeElement(at: place, to: beacond_mmsghdr(msg_hdr: header, msg_len: 0))
        }
    }

    deinit {
        packets.deallocate()
        controls.deallocate()
        parts.deallocate()
        headers.deallocate()
    }

    /// Reads the packets that wait on a socket, without waiting for more.
    ///
    /// - Parameter limit: the most packets to read; `capacity` limits them too.
    /// - Returns: the number of packets. Where it is below both limits, no other packet waited.
    /// - Throws: `SystemError` with the socket's error once its adapter is gone.
    package func receive(from descriptor: Int32, limit: Int) throws(SystemError) -> Int {
        try receive(limit: limit) { headers, most in beacond_recvmmsg(descriptor, headers, most) }
    }

    /// - Parameter recvmmsg: works like the system call of that name, without waiting.
    package func receive(
        limit: Int, _ recvmmsg: (UnsafeMutablePointer<beacond_mmsghdr>?, UInt32) -> Int
    ) throws(SystemError) -> Int {
        // The kernel has overwritten the room of each control message with its length.
        for place in 0..<count { headers[place].msg_hdr.msg_controllen = .init(Self.controlRoom) }
        count = 0
        let most = min(max(0, limit), Self.capacity)
        var received: Int
        repeat {
            received = recvmmsg(headers.baseAddress, UInt32(most))
        } while received < 0 && errno == EINTR
        if received < 0 {
            guard errno == EAGAIN else { throw .last("recvmmsg") }
            return 0
        }
        count = min(received, most)
        return count
    }

    /// The octets of a packet of the last call; empty where the other end is gone. Valid until the next call.
    package func packet(_ place: Int) -> UnsafeRawBufferPointer {
        let room = Self.room(place, of: Self.packetRoom)
        let end = room.lowerBound + min(Int(headers[place].msg_len), Self.packetRoom)
        return UnsafeRawBufferPointer(rebasing: packets[room.lowerBound..<end])
    }

    /// The time at which the kernel received the packet; `nil` where there is no stamp.
    ///
    /// Reads the control message HCI_CMSG_TSTAMP, the only one that the socket asked for: a header of length, level and
    /// type, then seconds and microseconds, each as wide as the kernel's `long`.
    func timeStamp(_ place: Int) -> WallTime? {
        let control = UnsafeRawBufferPointer(rebasing: controls[Self.room(place, of: Self.controlRoom)])
        let length = Int(headers[place].msg_hdr.msg_controllen)
        let offset = MemoryLayout<cmsghdr>.size
        guard length > offset, length <= control.count else { return nil }
        let header = control.load(as: cmsghdr.self)
        guard header.cmsg_level == SOL_HCI, header.cmsg_type == HCI_CMSG_TSTAMP else { return nil }
        let (seconds, microseconds): (Int64, Int64)
        switch min(Int(header.cmsg_len), length) - offset {
        case 16:
            seconds = control.loadUnaligned(fromByteOffset: offset, as: Int64.self)
            microseconds = control.loadUnaligned(fromByteOffset: offset + 8, as: Int64.self)
        case 8:
            seconds = Int64(control.loadUnaligned(fromByteOffset: offset, as: Int32.self))
            microseconds = Int64(control.loadUnaligned(fromByteOffset: offset + 4, as: Int32.self))
        default:
            return nil
        }
        // A kernel whose clock was never set stamps with small numbers; the sum cannot overflow within 200,000 years.
        return WallTime(microseconds: seconds &* 1_000_000 &+ microseconds)
    }

    private static func room(_ place: Int, of size: Int) -> Range<Int> { place * size..<(place + 1) * size }
}

/// Computes a packet's time of arrival on the monotonic clock.
///
/// The kernel stamps packets with the wall clock, which may be stepped at any moment. So the stamp tells only the
/// packet's age, within certain limits: the packet arrived after the packet before it, after the queue was last empty,
/// and not in the future.
struct ReceiveTime: Hashable, Sendable {
    private var earliest: Instant

    /// - Parameter instant: the time at which the socket was opened.
    init(at instant: Instant) { earliest = instant }

    /// - Parameters:
    ///   - stamp: the kernel's stamp; `nil` where there is none.
    ///   - wall: the wall clock's time now, read together with `now`.
    mutating func arrival(stamp: WallTime?, wall: WallTime, now: Instant) -> Instant {
        let age = stamp.map { wall - $0 } ?? .zero
        let arrival = max(earliest, min(now, now - age))
        earliest = arrival
        return arrival
    }

    /// Records an empty queue: every later packet arrives after this instant.
    mutating func foundEmpty(at instant: Instant) { earliest = max(earliest, instant) }
}
