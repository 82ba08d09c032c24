import CBluetooth
import Glibc

@testable import Agent
@testable import Core

/// The agent's end of an HCI socket: packets wait in it until the radio loop reads them.
final class SimulatedSocket: AdapterSocket {
    let descriptor: Int32
    private unowned let kernel: SimulatedKernel
    private var waiting: [(octets: [UInt8], stamp: WallTime)] = []
    /// Set once its adapter is gone.
    private var error: SystemError?

    init(_ kernel: SimulatedKernel, descriptor: Int32) {
        self.kernel = kernel
        self.descriptor = descriptor
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// The result of `poll`.
    var readiness: Int16 {
        Int16((waiting.isEmpty ? 0 : POLLIN) | (error == nil ? 0 : POLLERR | POLLHUP))
    }

    /// Adds a packet from the controller.
    func queue(_ octets: [UInt8], stamp: WallTime) { waiting.append((octets, stamp)) }

    /// The adapter is gone.
    func fail() { error = SystemError("poll", code: EPIPE) }

    func send(_ packet: [UInt8]) throws(SystemError) { try kernel.send(packet) }
    func pendingError() -> SystemError { error ?? SystemError("poll", code: EPIPE) }
    func droppedPackets() -> UInt32 { 0 }

    func receive(_ batch: PacketBatch, limit: Int) throws(SystemError) -> Int {
        try batch.receive(limit: limit) { headers, most in
            let taken = waiting.prefix(Int(most))
            guard let headers, !taken.isEmpty else {
                errno = EAGAIN
                return -1
            }
            for (place, packet) in taken.enumerated() {
                Self.write(packet.octets, packet.stamp, into: &headers[place])
            }
            waiting.removeFirst(taken.count)
            return taken.count
        }
    }

    /// Works like the kernel: the packet goes into its room, and its time stamp into a control message.
    private static func write(_ octets: [UInt8], _ stamp: WallTime, into header: inout beacond_mmsghdr) {
        if let room = header.msg_hdr.msg_iov?.pointee {
            let copied = octets.prefix(room.iov_len)
            header.msg_len = UInt32(copied.count)
            room.iov_base?.copyMemory(from: Array(copied), byteCount: copied.count)
        }
        guard let control = header.msg_hdr.msg_control else { return }
        var head = cmsghdr()
        head.cmsg_len = MemoryLayout<cmsghdr>.size + 16
        head.cmsg_level = SOL_HCI
        head.cmsg_type = Int32(HCI_CMSG_TSTAMP)
        control.storeBytes(of: head, as: cmsghdr.self)
        let (seconds, microseconds) = stamp.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        control.storeBytes(of: seconds, toByteOffset: MemoryLayout<cmsghdr>.size, as: Int64.self)
        control.storeBytes(of: microseconds, toByteOffset: MemoryLayout<cmsghdr>.size + 8, as: Int64.self)
        header.msg_hdr.msg_controllen = .init(head.cmsg_len)
    }
}
