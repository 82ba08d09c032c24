import Glibc

@testable import Core

/// The connection between the kernel and the controller. The adapter exists while this object does.
protocol Transport: AnyObject {
    /// Readable when the kernel has sent something.
    var descriptor: CInt { get }

    /// - Parameter event: an HCI event, from its event code on.
    func send(event: [UInt8]) throws

    /// The next packet from the kernel; `nil` where none waits.
    func receive() throws -> HostPacket?
}

/// A packet from the kernel.
enum HostPacket: Equatable {
    case command(CommandPacket)
    /// The adapter exists, as hciN.
    case created(index: UInt16)
}

/// A system call that failed, with its `errno`.
struct SystemFailure: Error, CustomStringConvertible {
    var what: String
    var number: CInt = errno

    var description: String { "can't \(what): \(String(cString: strerror(number)))" }
}

/// Reads once, and again after a signal.
///
/// - Returns: the number of octets; 0 at the end, and `nil` where none wait.
func readOnce(_ descriptor: CInt, _ buffer: inout [UInt8], _ name: String) throws(SystemFailure) -> Int? {
    while true {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { return count }
        if errno == EAGAIN { return nil }
        if errno != EINTR { throw SystemFailure(what: "read \(name)") }
    }
}
