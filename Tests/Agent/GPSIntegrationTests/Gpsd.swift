import Foundation
import Loopback

@testable import Agent

/// A real gpsd on a free port, with receivers that are pseudo terminals.
final class Gpsd {
    static var isInstalled: Bool { installed("gpsd") != nil }

    let port: UInt16
    private let arguments: [String]
    private var process: Process?

    /// - Parameter devices: the receivers' paths.
    init(devices: [String], port: UInt16? = nil) throws {
        self.port = try port ?? freePort()
        // Without a receiver, gpsd starts only where one can be added later.
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

    /// Ends it by SIGKILL, like a crash.
    func stop() {
        guard let process, process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    /// Whether gpsd has a file open.
    func holds(_ path: String) throws -> Bool {
        guard let process else { return false }
        let folder = "/proc/\(process.processIdentifier)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
        }
    }
}

/// gpsfake, which starts a gpsd of its own and plays a log of NMEA sentences to it, over and over.
final class Gpsfake {
    static var isInstalled: Bool { Gpsd.isInstalled && installed("gpsfake") != nil }

    let port: UInt16
    private let process = Process()
    /// A folder of its own: gpsfake names gpsd's control socket by its process id, and takes a socket that an earlier
    /// process of the same id left for a gpsd that is ready.
    private let folder: URL

    init() throws {
        port = try freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "gpsfake-\(port)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = URL(filePath: installed("gpsfake") ?? "gpsfake")
        process.arguments = ["-q", "-P", "\(port)", "-c", "0.05", Receiver.log]
        // gpsfake looks for gpsd on the path.
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "PATH": "/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin:/sbin:/bin",
                "TMPDIR": folder.path,
            ]) { $1 }
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// A gpsfake whose receiver gpsd has, and a client of gpsd. gpsfake adds its receiver once and looks for no answer:
    /// a gpsd that does not listen yet misses it. Then another gpsfake starts.
    static func playing() async throws -> (fake: Gpsfake, listener: Listener) {
        for _ in 0..<10 {
            let fake = try Gpsfake()
            let listener = try Listener(port: fake.port)
            listener.client.listen(true)
            try listener.client.start()
            for _ in 0..<300 {
                if listener.devices.last?.isEmpty == false { return (fake, listener) }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        throw TestFailure(description: "ten times, gpsfake gave gpsd no receiver")
    }

    /// SIGKILL for both: a child inherits the signal mask of its parent's thread, and Dispatch's threads block the
    /// other signals.
    deinit {
        defer { try? FileManager.default.removeItem(at: folder) }
        guard process.isRunning else { return }
        let id = process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        kill(id, SIGKILL)
        for child in children?.split(separator: " ") ?? [] { _ = Int32(child).map { kill($0, SIGKILL) } }
        process.waitUntilExit()
    }
}
