import ArgumentParser
import Files
import Glibc
import HCI
import StoreSimulator

/// `beacond simulate`: a simulated shop as a capture, for a first look without an adapter, for tests and for
/// benchmarks.
struct SimulateCommand: ParsableCommand {
    enum Scenario: String, CaseIterable, ExpressibleByArgument {
        case firstRun = "first-run"
        case crowd, rotation, rooms
    }

    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Write a simulated shop as a btsnoop capture.",
        discussion: """
            The capture is what a gateway's controller would report of a shop: people whose phones are iBeacons and change \
            their address, trolleys, shelf beacons and other devices, with fading, bodies in between and loss. The same \
            seed writes the same capture.

            Play it: beacond simulate --write - | beacond replay - --speed 1

            --truth writes who was there from when to when, and how far away, so that a subscriber can be tested against it.

            Exit status: 0 written; 73 a file can't be created; 74 a file could not be written to the end.
            """)

    @Option(help: "Decides everything that is random; another number is another shop.")
    var seed: UInt64 = 1

    @Option(help: "Length of the capture in seconds, up to 31 days.")
    var seconds: Int64 = 600

    @Option(
        help:
            "first-run (everything happens within a minute), crowd (a working day), rotation (addresses change often) or rooms (several gateways)."
    )
    var scenario = Scenario.firstRun

    @Option(help: "For the scenario rotation: phones at a time, up to 1000.")
    var phones = 2

    @Flag(help: "For the scenario rotation: each phone has a major and minor of its own; without it all have the same.")
    var ownIdentities = false

    @Option(
        help:
            "For the scenario rooms: rooms with a gateway in each, 1 to 64. Each has a capture: FILE.btsnoop becomes FILE-1.btsnoop and so on."
    )
    var gateways = 4

    @Flag(help: "Let the capture begin now, not on 2026-01-01T00:00:00Z.")
    var startNow = false

    @Option(name: .customLong("write"), help: ArgumentHelp("The capture; - is standard output.", valueName: "capture"))
    var capture: String

    @Option(help: ArgumentHelp("Write what really happened, as JSON; - is standard output.", valueName: "file"))
    var truth: String?

    func validate() throws {
        guard (1...31 * 86_400).contains(seconds) else {
            throw ValidationError("--seconds \(seconds): must be 1 to \(31 * 86_400)")
        }
        guard (1...1_000).contains(phones) else {
            throw ValidationError("--phones \(phones): must be 1 to 1000")
        }
        guard (1...64).contains(gateways) else {
            throw ValidationError("--gateways \(gateways): must be 1 to 64")
        }
        guard scenario != .rooms || capture != "-" else {
            throw ValidationError("--write -: the scenario rooms writes a file for each gateway")
        }
        guard !(capture == "-" && truth == "-") else {
            throw ValidationError("--write - and --truth -: only one of them can be standard output")
        }
    }

    func run() throws {
        do {
            try write()
        } catch let error as FileError {
            Output.complain("\(error)")
            throw error.operation == .create ? ExitCode.cantCreate : ExitCode.ioError
        }
    }

    private func write() throws {
        let duration = TimeSpan.seconds(1) * seconds
        let begin = startNow ? now() : Self.usualBegin
        let shop: StoreScenario =
            switch scenario {
            case .firstRun: .firstRun(seed: seed, duration: duration)
            case .crowd: .crowd(seed: seed, duration: duration)
            case .rotation: .rotation(seed: seed, duration: duration, crowd: rotationCrowd)
            case .rooms: .rooms(seed: seed, duration: duration, gateways: gateways, listening: 0)
            }
        if let truth {
            try writeTruth(of: shop, to: truth)
        }
        guard scenario == .rooms else { return try write(shop, seed: seed, to: capture, from: begin) }
        for room in 0..<gateways {
            // The same people, and a receiver and an air of its own.
            try write(
                .rooms(seed: seed, duration: duration, gateways: gateways, listening: room),
                seed: seed &+ UInt64(room) &* 0x9E37_79B9_7F4A_7C15, to: numbered(room + 1), from: begin)
        }
    }

    /// The capture's name for one gateway: the number stands before the ending.
    private func numbered(_ number: Int) -> String {
        let name = capture.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(capture)-\(number)" }
        let ending = name[dot...]
        return capture.dropLast(ending.count) + "-\(number)" + ending
    }

    private func write(_ shop: StoreScenario, seed: UInt64, to path: String, from begin: WallTime) throws {
        var simulation = StoreSimulation(scenario: shop, seed: seed)
        var output = try OutputFile(path: path)
        try output.write(BTSnoopWriter.header)
        while let packet = simulation.next() {
            let event = AdvertisingReportEncoder.event([(packet.report, packet.data)])
            try output.write(BTSnoopWriter.record(event: event, at: begin + (packet.at - .origin)))
        }
        try output.close()
    }

    private var rotationCrowd: StoreScenario.RotationCrowd {
        var crowd = StoreScenario.RotationCrowd()
        crowd.phones = phones
        crowd.sharesIdentity = !ownIdentities
        return crowd
    }

    private func writeTruth(of shop: StoreScenario, to path: String) throws {
        var output = try OutputFile(path: path)
        try shop.truth.writeJSON { piece throws(FileError) in try output.write(Array(piece.utf8)) }
        try output.close()
    }

    /// 2026-01-01T00:00:00Z.
    private static let usualBegin = WallTime(microseconds: 1_767_225_600_000_000)

    private func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
