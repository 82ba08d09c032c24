import Glibc

@testable import Core

/// An adapter that Linux's `hci_uart` makes of a serial line, as on a Raspberry Pi. Here the line is a pseudo-terminal.
/// Its kernel end gets the line discipline N_HCI with the protocol H4, as by `btattach -P h4`.
///
/// When the near end closes, the line hangs up and the adapter is gone.
final class VirtualUART: Transport {
    // linux/tty.h and drivers/bluetooth/hci_uart.h. The codes are _IOW('U', 200, int) and so on.
    private static let lineDisciplineHCI: CInt = 15
    private static let setProtocol: UInt = 0x4004_55C8
    private static let getDevice: UInt = 0x8004_55CA
    private static let setFlags: UInt = 0x4004_55CB
    private static let h4: CInt = 0
    /// The driver resets when the adapter is brought up, not when it goes: a line that hung up answers no reset.
    private static let resetOnInit: CInt = 1 << 1
    /// The longest time for which the line may be full.
    private static let longestWrite_ms: CInt = 5000
    private static let name = "the pseudo-terminal"

    let descriptor: CInt
    private let far: CInt
    private var stream = H4Stream()
    private var created: UInt16?

    /// - Throws: `SystemFailure` where there are no pseudo-terminals or no `hci_uart`, or where this is not root.
    init() throws(SystemFailure) {
        var near: CInt = -1
        var far: CInt = -1
        if openpty(&near, &far, nil, nil, nil) != 0 { throw SystemFailure(what: "open a pseudo-terminal") }
        // `deinit` closes both ends when a step below throws.
        descriptor = near
        self.far = far
        for end in [near, far] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(near, F_SETFL, O_NONBLOCK)
        var discipline = Self.lineDisciplineHCI
        if ioctl(far, UInt(TIOCSETD), &discipline) < 0 {
            throw SystemFailure(what: "set the line discipline N_HCI (is hci_uart loaded, is this root?)")
        }
        if ioctl(far, Self.setFlags, Self.resetOnInit) < 0 { throw SystemFailure(what: "set the UART's flags") }
        if ioctl(far, Self.setProtocol, Self.h4) < 0 { throw SystemFailure(what: "set the UART's protocol to H4") }
        let index = ioctl(far, Self.getDevice, 0 as CInt)
        guard let index = UInt16(exactly: index) else { throw SystemFailure(what: "learn the adapter's index") }
        created = index
    }

    deinit {
        close(descriptor)
        close(far)
    }

    func send(event: [UInt8]) throws {
        let packet = [PacketType.event.rawValue] + event
        var position = 0
        while position < packet.count {
            let count = packet[position...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                position += count
            } else if errno == EAGAIN {
                var line = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&line, 1, Self.longestWrite_ms) == 0 {
                    throw SystemFailure(what: "write \(Self.name): it stays full", number: ETIMEDOUT)
                }
            } else if errno != EINTR {
                throw SystemFailure(what: "write \(Self.name)")
            }
        }
    }

    /// Data packets are skipped: there are no connections.
    func receive() throws -> HostPacket? {
        if let index = created {
            created = nil
            return .created(index: index)
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        repeat {
            while let (type, packet) = try stream.next() {
                if type == .command, let command = CommandPacket(packet.span) { return .command(command) }
            }
            guard let count = try readOnce(descriptor, &buffer, Self.name) else { return nil }
            guard count > 0 else { throw SystemFailure(what: "read \(Self.name): it hung up", number: EIO) }
            stream.append(buffer[..<count])
        } while true
    }
}
