import CBluetooth
import Glibc
import HCI

/// The I/O half of `ScanController` and `AdvertisingController`: a raw socket on one adapter that takes its events and
/// other processes' commands, and sends ours. It never blocks.
final class ScanSocket {
    /// Octets; what a burst may pile up before it is read: some 5,000 reports.
    static let receiveBufferSize: Int32 = 4 << 20

    let index: UInt16
    private let socket: HCISocket
    private let batch = PacketBatch()
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
        receiveTime = ReceiveTime(at: MonotonicClock.now)
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
    ///   - body: gets the H4 packet and when it arrived; returns false to stop, once this socket is not to be read any more.
    /// - Returns: whether the queue was found empty.
    /// - Throws: what the socket says once its adapter is gone.
    @discardableResult
    func drain(limit: Int, body: (Span<UInt8>, Instant) -> Bool) throws(RadioError) -> Bool {
        var left = limit
        while left > 0 {
            let count = try batch.receive(from: descriptor, limit: left)
            let (wall, now) = (MonotonicClock.wall, MonotonicClock.now)
            for place in 0..<count {
                let octets = batch.packet(place)
                if octets.isEmpty { throw RadioError("recvmmsg", code: EPIPE) }
                let arrival = receiveTime.arrival(stamp: batch.timeStamp(place), wall: wall, now: now)
                let goesOn = octets.withMemoryRebound(to: UInt8.self) { body($0.span, arrival) }
                guard goesOn else { return false }
            }
            // Where fewer came than could have, nothing else waited, which spares a call to hear that.
            if count < min(left, PacketBatch.capacity) {
                receiveTime.foundEmpty(at: now)
                return true
            }
            left -= count
        }
        return false
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
