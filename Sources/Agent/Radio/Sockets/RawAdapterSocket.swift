import CBluetooth
import Core
import Glibc

/// A raw HCI socket that is bound to one adapter.
final class RawAdapterSocket: AdapterSocket {
    /// Octets; what a burst may pile up before it is read: some 5,000 reports.
    static let receiveBufferSize: Int32 = 4 << 20

    private let socket: HCISocket

    var descriptor: Int32 { socket.descriptor }

    /// - Parameter filter: `scanning` or `advertising`.
    init(index: UInt16, filter: HCIFilter) throws(SystemError) {
        let socket = try HCISocket()
        // The filter comes before the adapter, so that nothing else is ever queued.
        try socket.setFilter(filter)
        if filter.passes(event: EventCode.leMeta) {
            // The kernel takes what is not permitted out of a filter without a word.
            let isPermitted = try socket.filter().passes(event: EventCode.leMeta)
            if !isPermitted { throw SystemError("setsockopt HCI_FILTER", code: EPERM) }
        }
        Self.prepare(socket.descriptor)
        try socket.bind(index: index)
        self.socket = socket
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

    func send(_ packet: [UInt8]) throws(SystemError) {
        let sent = packet.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // A full send queue is a controller that takes no commands: the command's time-out will say so.
        if sent < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS { throw .last("send") }
    }

    package func receive(_ batch: PacketBatch, limit: Int) throws(SystemError) -> Int {
        try batch.receive(from: descriptor, limit: limit)
    }

    func pendingError() -> SystemError {
        let code = socket.pendingError()
        return SystemError("poll", code: code == 0 ? EPIPE : code)
    }

    /// HCI sockets do not support SO_RXQ_OVFL, but every socket counts its drops, and SO_MEMINFO (Linux 4.12) shows them.
    func droppedPackets() -> UInt32 {
        var counters = InlineArray<9, UInt32>(repeating: 0)
        var size = socklen_t(MemoryLayout.size(ofValue: counters))
        let memoryInformation: Int32 = 55
        let dropsAt = 8
        // Swift 6.2 has no way from an array of this kind to a C pointer but this one.
        let status = withUnsafeMutableBytes(of: &counters) {
            getsockopt(descriptor, SOL_SOCKET, memoryInformation, $0.baseAddress, &size)
        }
        return status == 0 ? counters[dropsAt] : 0
    }
}
