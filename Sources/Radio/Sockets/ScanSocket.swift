import CBluetooth
import Glibc
import HCI

/// The I/O half of `ScanController` and `AdvertisingController`: a raw socket on one adapter that takes its events and
/// other processes' commands, and sends ours. It never blocks.
final class ScanSocket {
    /// Octets; what a burst may pile up before it is read: some 5,000 reports.
    static let receiveBufferSize: Int32 = 4 << 20
    /// The longest packet that the filter lets through is an event of 258 octets.
    private static let packetCapacity = 512

    let index: UInt16
    private let socket: HCISocket
    private let packet: UnsafeMutableRawBufferPointer
    private let control: UnsafeMutableRawBufferPointer
    private var receiveTime: ReceiveTime

    var descriptor: Int32 { socket.descriptor }

    /// - Parameter filter: `scanning` or `advertising`.
    init(index: UInt16, filter: HCIFilter = .scanning) throws(RadioError) {
        let socket = try HCISocket()
        // The filter comes before the adapter, so that nothing else is ever queued.
        try socket.setFilter(filter)
        if filter.passes(event: HCIFilter.leMetaEvent) {
            // The kernel takes what is not permitted out of a filter without a word.
            let isPermitted = try socket.filter().passes(event: HCIFilter.leMetaEvent)
            if !isPermitted { throw RadioError("setsockopt HCI_FILTER", code: EPERM) }
        }
        Self.prepare(socket.descriptor)
        try socket.bind(index: index)
        self.index = index
        self.socket = socket
        packet = .allocate(byteCount: Self.packetCapacity, alignment: 16)
        control = .allocate(byteCount: 128, alignment: 16)
        receiveTime = ReceiveTime(at: MonotonicClock.now)
    }

    deinit {
        packet.deallocate()
        control.deallocate()
    }

    /// A small buffer or a missing time stamp costs accuracy, not function, so neither stops us.
    private static func prepare(_ descriptor: Int32) {
        var size = receiveBufferSize
        let length = socklen_t(MemoryLayout<Int32>.size)
        // Beyond net.core.rmem_max only with CAP_NET_ADMIN.
        if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_HCI, HCI_TIME_STAMP, &isOn, length)
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        let sent = packet.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // A full send queue is a controller that takes no commands: the command's time-out will say so.
        if sent < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS { throw .last("send") }
    }

    /// Hands over the packets that wait, in order, each valid only during the call.
    ///
    /// - Parameters:
    ///   - limit: the most to take at once, so that timers get their turn in a flood.
    ///   - body: gets the H4 packet and when it arrived; returns false to stop.
    /// - Returns: whether the queue was found empty.
    /// - Throws: what the socket says once its adapter is gone.
    @discardableResult
    func drain(limit: Int, body: (Span<UInt8>, Instant) -> Bool) throws(RadioError) -> Bool {
        for _ in 0..<limit {
            var part = iovec(iov_base: packet.baseAddress, iov_len: packet.count)
            var stamp: WallTime?
            let count = withUnsafeMutablePointer(to: &part) { part in
                var header = msghdr()
                header.msg_iov = part
                header.msg_iovlen = 1
                header.msg_control = control.baseAddress
                header.msg_controllen = .init(control.count)
                let count = recvmsg(descriptor, &header, 0)
                if count > 0 { stamp = timeStamp(length: Int(header.msg_controllen)) }
                return count
            }
            guard count > 0 else {
                if count == 0 { throw RadioError("recvmsg", code: EPIPE) }
                if errno == EINTR { continue }
                guard errno == EAGAIN else { throw .last("recvmsg") }
                receiveTime.foundEmpty(at: MonotonicClock.now)
                return true
            }
            let arrival = receiveTime.arrival(stamp: stamp, wall: MonotonicClock.wall, now: MonotonicClock.now)
            let octets = UnsafeRawBufferPointer(rebasing: packet[..<min(count, packet.count)])
            let goesOn = octets.withMemoryRebound(to: UInt8.self) { body($0.span, arrival) }
            guard goesOn else { return false }
        }
        return false
    }

    /// Reads the control message HCI_CMSG_TSTAMP, the only one that was asked for: a header of length, level and type,
    /// then seconds and microseconds, each as wide as the kernel's `long`.
    private func timeStamp(length: Int) -> WallTime? {
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
        // A kernel whose clock was never set stamps with small numbers; nothing here can overflow within 200,000 years.
        return WallTime(microseconds: seconds &* 1_000_000 &+ microseconds)
    }

    /// The error that `poll` reported.
    func pendingError() -> RadioError {
        let code = socket.pendingError()
        return RadioError("poll", code: code == 0 ? EPIPE : code)
    }

    /// How many packets the kernel has dropped because the receive buffer was full.
    ///
    /// HCI sockets do not support SO_RXQ_OVFL, but every socket counts its drops, and SO_MEMINFO (Linux 4.12) shows them.
    func droppedPackets() -> UInt32 {
        var counters = InlineArray<9, UInt32>(repeating: 0)
        var size = socklen_t(MemoryLayout.size(ofValue: counters))
        let memoryInformation: Int32 = 55
        let dropsAt = 8
        guard getsockopt(descriptor, SOL_SOCKET, memoryInformation, &counters, &size) == 0 else { return 0 }
        return counters[dropsAt]
    }
}
