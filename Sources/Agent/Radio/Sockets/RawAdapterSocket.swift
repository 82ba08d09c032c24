import CBluetooth
import Core
import Glibc

/// A raw HCI socket that is bound to one adapter.
final class RawAdapterSocket: AdapterSocket {
    /// Octets of the receive buffer, for a burst of some 5,000 reports.
    static let receiveBufferSize: Int32 = 4 << 20

    private let socket: HCISocket

    var descriptor: Int32 { socket.descriptor }

    /// - Parameter filter: `scanning` or `advertising`.
    init(index: UInt16, filter: HCIFilter) throws(SystemError) {
        let socket = try HCISocket()
        // The filter is set before the adapter is bound, so that no other packets are ever queued.
        try socket.setFilter(filter)
        if filter.passes(event: EventCode.leMeta) {
            // The kernel silently removes from a filter what is not permitted.
            let isPermitted = try socket.filter().passes(event: EventCode.leMeta)
            if !isPermitted { throw SystemError("setsockopt HCI_FILTER", code: EPERM) }
        }
        Self.prepare(socket.descriptor)
        try socket.bind(index: index)
        self.socket = socket
    }

    /// A small buffer or a missing time stamp costs accuracy, not function, so neither is an error.
    private static func prepare(_ descriptor: Int32) {
        var size = receiveBufferSize
        let length = socklen_t(MemoryLayout<Int32>.size)
        // Only CAP_NET_ADMIN allows more than net.core.rmem_max.
        if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_HCI, HCI_TIME_STAMP, &isOn, length)
    }

    func send(_ packet: [UInt8]) throws(SystemError) {
        let sent = packet.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // A full send queue means a controller that takes no commands; the command's timeout follows.
        if sent < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS { throw .last("send") }
    }

    package func receive(_ batch: PacketBatch, limit: Int) throws(SystemError) -> Int {
        try batch.receive(from: descriptor, limit: limit)
    }

    func pendingError() -> SystemError {
        let code = socket.pendingError()
        return SystemError("poll", code: code == 0 ? EPIPE : code)
    }

    /// HCI sockets do not support SO_RXQ_OVFL, but every socket counts its drops, and SO_MEMINFO (Linux 4.12) returns
    /// them.
    func droppedPackets() -> UInt32 {
        var counters = InlineArray<9, UInt32>(repeating: 0)
        var size = socklen_t(MemoryLayout.size(ofValue: counters))
        let memoryInformation: Int32 = 55
        let dropsAt = 8
        // Swift 6.2 has no other way from an array of this kind to a C pointer.
        let status = withUnsafeMutableBytes(of: &counters) {
            getsockopt(descriptor, SOL_SOCKET, memoryInformation, $0.baseAddress, &size)
        }
        return status == 0 ? counters[dropsAt] : 0
    }
}

/// The kernel's own events: adapters that come, go, and are powered up or down by any process. Needs CAP_NET_RAW.
/// Without this socket, the agent looks for changes every second.
final class DeviceEventSocket {
    private let socket: HCISocket

    var descriptor: Int32 { socket.descriptor }

    init() throws(SystemError) {
        socket = try HCISocket()
        try socket.setFilter(.deviceEvents)
        try socket.bind(index: nil)
    }

    /// The waiting events, at most 64.
    func drain() -> [DeviceEvent] {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { buffer in
            var events: [DeviceEvent] = []
            while events.count < 64 {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { break }
                let packet = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                let event = packet.withMemoryRebound(to: UInt8.self) { DeviceEvent(packet: $0.span) }
                if let event { events.append(event) }
            }
            return events
        }
    }
}

/// Linux itself. The thread of the loop that uses it creates it.
final class LinuxBluetooth: BluetoothKernel {
    private let deviceEvents = try? DeviceEventSocket()

    package var now: Instant { SystemClock.now }
    var wall: WallTime { SystemClock.wall }
    var deviceEventsDescriptor: Int32 { deviceEvents?.descriptor ?? -1 }

    func survey() -> AdapterSurvey { .current() }
    func takeDeviceEvents() -> [DeviceEvent] { deviceEvents?.drain() ?? [] }

    func open(_ index: UInt16, filter: HCIFilter) throws(SystemError) -> any AdapterSocket {
        try RawAdapterSocket(index: index, filter: filter)
    }

    func repair(_ step: RecoveryStep, index: UInt16, bell: Doorbell) throws(SystemError) -> any AdapterRepair {
        try PowerChange(step, index: index, bell: bell)
    }

    func poll(_ slots: UnsafeMutableBufferPointer<pollfd>, timeout_ms: Int32) -> Int32 {
        Glibc.poll(slots.baseAddress, nfds_t(slots.count), timeout_ms)
    }
}
