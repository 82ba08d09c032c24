import Foundation
import Loopback

/// A real mosquitto on a free loopback port, with a folder of its own that is removed with it.
final class Broker {
    let port: UInt16
    let folder: URL
    private let configuration: String
    private var process: Process?

    static let executable: String? = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isInstalled: Bool { executable != nil && Subscriber.executable != nil }

    /// `configuration` is mosquitto.conf below the listener line; `{folder}` in it stands for the broker's folder.
    init(_ configuration: String = "allow_anonymous true", files: [String: String] = [:]) throws {
        port = try freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "mqtt-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        // As root, mosquitto would become another user, who can't read the folder.
        self.configuration = """
            user root
            listener \(port) 127.0.0.1
            \(configuration.replacingOccurrences(of: "{folder}", with: folder.path))

            """
    }

    static func running(_ configuration: String = "allow_anonymous true", files: [String: String] = [:]) async throws
        -> Broker
    {
        let broker = try Broker(configuration, files: files)
        try await broker.start()
        return broker
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func start() async throws {
        let file = folder.appending(path: "mosquitto.conf")
        try Data(configuration.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: Self.executable ?? "/usr/sbin/mosquitto")
        process.arguments = ["-c", file.path]
        let log = folder.appending(path: "broker.log")
        try Data().write(to: log)
        process.standardError = try FileHandle(forWritingTo: log)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        try await wait("the broker to listen") { canConnect(port: port) }
    }

    /// Kills it and waits for its end: the port is free afterwards.
    func stop() {
        process?.killAndWait()
        process = nil
    }

    /// Stops it by SIGSTOP: the kernel still accepts connections and bytes, but nothing answers.
    func freeze() {
        if let process { kill(process.processIdentifier, SIGSTOP) }
    }

    func thaw() {
        if let process { kill(process.processIdentifier, SIGCONT) }
    }
}

extension Process {
    /// SIGKILL, because a child inherits the signal mask of its parent's thread, and Dispatch's threads block SIGTERM.
    func killAndWait() {
        guard isRunning else { return }
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }
}
