import Foundation

@testable import Core

/// A capture of a shop with a beacon that comes, rotates and leaves, and the output of `beacond replay` on it.
struct Capture {
    var octets = BTSnoopWriter.header
    static let start = WallTime(microseconds: 1_700_000_000_000_000)

    static let frame = IBeaconFrame(
        identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 7, minor: 8), measuredPower_dbm: -59)

    static func shop(seconds: Int = 90) -> Capture {
        var capture = Capture()
        for step in 0..<seconds * 2 {
            let t_s = Double(step) / 2
            capture.add(DeviceAddress(bits: 0xBEEF, type: .public), [2, 1, 6], at: t_s)
            guard t_s >= 12, t_s < 50 else { continue }
            let bits: UInt64 = t_s < 30 ? 0x4000_0000_0001 : 0x4000_0000_0002
            capture.add(DeviceAddress(bits: bits, type: .random), frame.encodedStructure, at: t_s + 0.1)
        }
        return capture
    }

    mutating func add(_ address: DeviceAddress, _ data: [UInt8], at t_s: Double) {
        let report = AdvertisingReport(isExtended: false, eventType: 3, address: address, rssi_dbm: -60)
        octets += BTSnoopWriter.record(
            event: AdvertisingReportEncoder.event([(report, data)]), at: Self.start + .seconds(t_s))
    }
}

/// The project's own executable, run in a folder of its own.
struct Beacond {
    struct Outcome {
        var status: Int32
        var output: Data
        var errors: String
        var lines: [[String: Any]] {
            output.split(separator: UInt8(ascii: "\n")).compactMap {
                (try? JSONSerialization.jsonObject(with: $0)) as? [String: Any]
            }
        }
    }

    static let configuration = """
        [gateway]
        site = "shop"
        id = "gw"
        [[region]]
        id = "carts \\"1\\""
        uuid = "00000000-0000-0001-0000-000000000002"
        expand = "minor"
        """

    /// Products are beside the test bundle.
    static var executable: URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("beacond")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        return URL(fileURLWithPath: ".build/debug/beacond")
    }

    /// Replays `capture`, as a file or through standard input.
    static func replay(
        _ capture: [UInt8], configuration: String = configuration, arguments: [String] = [], throughInput: Bool = false
    ) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("capture.btsnoop")
        let config = folder.appendingPathComponent("config.toml")
        try Data(capture).write(to: file)
        try Data(configuration.utf8).write(to: config)
        let (out, err) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("err"))
        try Data().write(to: out)
        try Data().write(to: err)
        let process = Process()
        process.executableURL = executable
        process.arguments = ["replay", throughInput ? "-" : file.path, "--config", config.path] + arguments
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        process.standardInput = throughInput ? try FileHandle(forReadingFrom: file) : FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: try Data(contentsOf: out),
            errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
    }
}
