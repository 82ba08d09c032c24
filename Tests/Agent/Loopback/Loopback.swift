import Foundation

/// The path of a program, even in a folder of root's PATH alone; `nil` where it is not installed.
public func installed(_ program: String) -> String? {
    ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"].map { $0 + program }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// A reason why a test can't go on.
public struct TestFailure: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
}

/// The longest wait for anything real. It does not measure the agent: a machine at a tenth of the usual speed keeps it.
public let patience = Duration.seconds(300)

/// Polls `condition` until it holds.
public func wait(_ what: String, until condition: () throws -> Bool) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    while try !condition() {
        guard clock.now < deadline else { throw TestFailure(description: "waited in vain for \(what)") }
        try await Task.sleep(for: .milliseconds(10))
    }
}

public func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

private func withSocket<Result>(
    port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> Result
) rethrows -> Result {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port: port)
    return try withUnsafePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

public func canConnect(port: UInt16) -> Bool {
    withSocket(port: port) { connect($0, $1, $2) == 0 }
}

/// A port without a listener.
public func freePort() throws -> UInt16 {
    try withSocket(port: 0) { descriptor, address, length in
        guard bind(descriptor, address, length) == 0 else { throw TestFailure(description: "bind: errno \(errno)") }
        var bound = sockaddr_in()
        var size = length
        let code = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard code == 0 else { throw TestFailure(description: "getsockname: errno \(errno)") }
        return UInt16(bigEndian: bound.sin_port)
    }
}
