import ArgumentParser
import Beacons
import Configuration
import Console
import Glibc
import HCI
import Radio

/// `beacond calibrate`: how strong a beacon is at one metre, or how well this gateway hears.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure a beacon at a known distance.",
        discussion: """
            Put one beacon at --distance metres from the gateway's antenna, in the open, at the same height, and stand \
            aside. The result corrects one of two numbers, never both: the beacon's measured power, where the beacon \
            is wrong; or rssi_offset_db of this gateway, where its antenna or housing is what differs. Correct a \
            gateway with a beacon that other gateways place rightly.

            The spread is σ from the median absolute deviation. Above 4 dB something moved, or reflections dominate: \
            measure again elsewhere.

            Exit status: 0 measured; 65 too few readings, or not one beacon; 77 missing permission; 78 the \
            configuration is wrong.
            """)

    @Option(help: ArgumentHelp("The beacon's proximity UUID.", valueName: "uuid"))
    var uuid: ProximityUUID

    @Option(help: ArgumentHelp("Its major, where several beacons of the UUID are near.", valueName: "n"))
    var major: UInt16?

    @Option(help: ArgumentHelp("Its minor, likewise.", valueName: "n"))
    var minor: UInt16?

    @Option(help: ArgumentHelp("Metres between beacon and antenna, 0.1 to 20.", valueName: "m"))
    var distance = 1.0

    @Option(help: ArgumentHelp("How long to listen, 5 to 3600.", valueName: "n"))
    var seconds: Int64 = 30

    @Option(help: .configurationFile)
    var config: String?

    func validate() throws {
        guard (0.1...20).contains(distance) else {
            throw ValidationError("--distance \(distance): must be 0.1 to 20")
        }
        guard (5...3_600).contains(seconds) else {
            throw ValidationError("--seconds \(seconds): must be 5 to 3600")
        }
    }

    func run() throws {
        let settings = try loadSettingsOrDefaults(config)
        let target = BeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
        var session = CalibrationSession(settings.radio, target, duration: .seconds(Double(seconds)))
        do {
            let calibration = try session.run()
            let offset_db = settings.radio.receivers.first?.rssiOffset_db ?? 0
            let result = try calibration.result(
                offset_db: offset_db, distance_m: distance, exponent: settings.distance.pathLossExponent)
            let output = Output(descriptor: STDOUT_FILENO)
            let lines = CalibrationReport.lines(result, distance_m: distance, presentOffset_db: offset_db)
            output.write((lines.joined(separator: "\n") + "\n").utf8)
            output.flush()
        } catch let error as CalibrationError {
            Output.complain("\(error)")
            throw ExitCode.dataError
        } catch let error as RadioError {
            Output.complain("\(error)")
            throw ExitCode.temporaryFailure
        }
    }
}
