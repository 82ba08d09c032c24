import Glibc

@testable import Core

/// How the kernel's commands come to the controller, and its events to the kernel. The adapter lives as long as this does.
protocol Transport: AnyObject {
    /// Readable when the kernel has sent something.
    var descriptor: CInt { get }

    /// - Parameter event: An HCI event, from its event code on.
    func send(event: [UInt8]) throws

    /// The next of what the kernel handed over; `nil` where nothing waits.
    func receive() throws -> HostPacket?
}

/// What the kernel handed over.
enum HostPacket: Equatable {
    case command(CommandPacket)
    /// The adapter is there, as hciN.
    case created(index: UInt16)
}

/// A system call that failed, and the `errno` it left.
struct SystemFailure: Error, CustomStringConvertible {
    var what: String
    var number: CInt = errno

    var description: String { "can't \(what): \(String(cString: strerror(number)))" }
}

/// Reads once, however often a signal comes in between.
///
/// - Returns: How many octets came; 0 at the end, and `nil` where none wait.
func readOnce(_ descriptor: CInt, _ buffer: inout [UInt8], _ name: String) throws(SystemFailure) -> Int? {
    while true {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { return count }
        if errno == EAGAIN { return nil }
        if errno != EINTR { throw SystemFailure(what: "read \(name)") }
    }
}
