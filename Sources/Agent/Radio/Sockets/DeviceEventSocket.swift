import Glibc

/// The kernel's own events: adapters that come, go, and are powered up or down by anybody. Needs CAP_NET_RAW; without it,
/// and without this socket, changes are seen by looking again every second.
final class DeviceEventSocket {
    private let socket: HCISocket

    var descriptor: Int32 { socket.descriptor }

    init() throws(SystemError) {
        socket = try HCISocket()
        try socket.setFilter(.deviceEvents)
        try socket.bind(index: nil)
    }

    /// The events that wait, at most 64 of them.
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
