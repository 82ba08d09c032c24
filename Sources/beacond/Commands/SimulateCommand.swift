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
        case crowd, rotation
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
            "first-run (everything happens within a minute), crowd (a working day) or rotation (addresses change often)."
    )
    var scenario = Scenario.firstRun

    @Option(help: "For the scenario rotation: phones at a time, up to 1000.")
    var phones = 2

    @Flag(help: "For the scenario rotation: each phone has a major and minor of its own; without it all have the same.")
    var ownIdentities = false

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
        let shop: StoreScenario =
            switch scenario {
            case .firstRun: .firstRun(seed: seed, duration: duration)
            case .crowd: .crowd(seed: seed, duration: duration)
            case .rotation: .rotation(seed: seed, duration: duration, crowd: rotationCrowd)
            }
        if let truth {
            try writeTruth(of: shop, to: truth)
        }
        var simulation = StoreSimulation(scenario: shop, seed: seed)
        var output = try OutputFile(path: capture)
        let begin = startNow ? now() : Self.usualBegin
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
