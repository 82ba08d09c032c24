import Foundation

/// Where Debian puts a program, also where only root looks; `nil` where it is not installed.
func installed(_ program: String) -> String? {
    ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"].map { $0 + program }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

struct TestFailure: Error, CustomStringConvertible {
    var description: String
}

/// How long anything real is waited for. It is no promise of the agent's: a machine at a tenth of the usual speed keeps it.
let patience = Duration.seconds(300)

/// Polls `condition` until it holds.
func wait(_ what: String, until condition: () throws -> Bool) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    while try !condition() {
        guard clock.now < deadline else { throw TestFailure(description: "waited in vain for \(what)") }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// A port of the loopback that nobody listens on.
func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
        }
    }
    guard code == 0 else { throw TestFailure(description: "no free port: errno \(errno)") }
    return UInt16(bigEndian: address.sin_port)
}

/// A real gpsd on a free port, with receivers that are pseudo terminals.
final class Gpsd {
    static var isInstalled: Bool { installed("gpsd") != nil }

    let port: UInt16
    private let arguments: [String]
    private var process: Process?

    /// - Parameter devices: their paths.
    init(devices: [String], port: UInt16? = nil) throws {
        self.port = try port ?? freePort()
        // Without a receiver it starts only where one may be added later.
        let control = FileManager.default.temporaryDirectory.appending(path: "gpsd-\(self.port).sock").path
        arguments = ["-N", "-S", "\(self.port)", "-F", control] + devices
    }

    deinit { stop() }

    func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: installed("gpsd") ?? "gpsd")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
    }

    /// SIGKILL, as of a gpsd that crashes.
    func stop() {
        guard let process, process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    /// Whether it has a file open.
    func holds(_ path: String) throws -> Bool {
        guard let process else { return false }
        let folder = "/proc/\(process.processIdentifier)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
        }
    }
}

/// gpsfake, which brings a gpsd of its own and plays a log of NMEA sentences to it, over and over.
final class Gpsfake {
    static var isInstalled: Bool { Gpsd.isInstalled && installed("gpsfake") != nil }

    let port: UInt16
    private let process = Process()

    init() throws {
        port = try freePort()
        process.executableURL = URL(filePath: installed("gpsfake") ?? "gpsfake")
        process.arguments = ["-q", "-P", "\(port)", "-c", "0.05", Receiver.log]
        // gpsfake looks for gpsd on the path.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PATH": "/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin:/sbin:/bin"]) { $1 }
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// SIGKILL for both: a child inherits the mask of the thread that starts it, and Dispatch's threads block the other signals.
    deinit {
        guard process.isRunning else { return }
        let id = process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        kill(id, SIGKILL)
        for child in children?.split(separator: " ") ?? [] { _ = Int32(child).map { kill($0, SIGKILL) } }
        process.waitUntilExit()
    }
}
