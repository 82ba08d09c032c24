import Agent
import ArgumentParser
import Core
import Glibc

/// `beacond calibrate`: measures a beacon's RSSI at one metre, or this gateway's reception.
struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure a beacon at a known distance.",
        discussion: """
            Put one beacon at --distance metres from the gateway's antenna, in the open, at the same height, and stand \
            aside. The result offers two corrections. Make one of them, never both. If other gateways place this beacon \
            wrongly too, correct the beacon's measured power. If only this gateway does, because of its antenna or its \
            housing, correct rssi_offset_db.

            The spread σ is taken from the median absolute deviation. If it is above 4 dB, something moved or reflections \
            are strong: measure again in another place.

            With --walk it measures the place instead: carry a beacon to two to five known distances, 20 s at each, as \
            --walk 1,2,4,7. At each it waits for the return key. It prints lines for [distance] of config.toml, and \
            how sure they are.

            Exit status: 0 measured; 65 too few readings, not one beacon, or a walk that makes no sense; 77 missing \
            permission; 78 the configuration is wrong.
            """)

    @Option(help: ArgumentHelp("The beacon's proximity UUID.", valueName: "uuid"))
    var uuid: ProximityUUID

    @Option(help: ArgumentHelp("Its major, if several beacons of the UUID are near.", valueName: "n"))
    var major: UInt16?

    @Option(help: ArgumentHelp("Its minor, if several beacons of the UUID are near.", valueName: "n"))
    var minor: UInt16?

    @Option(help: ArgumentHelp("Metres between beacon and antenna, 0.1 to 20.", valueName: "m"))
    var distance = 1.0

    @Option(
        help: ArgumentHelp("Measure the place, by two to five distances in metres, as 1,2,4,7.", valueName: "m,m,…"))
    var walk: String?

    @Option(
        help: ArgumentHelp(
            "Seconds to listen, 5 to 3600: 30 where it is not set, and 20 at each stop of a walk.", valueName: "n"))
    var seconds: Int64?

    @Option(help: .configurationFile)
    var config: String?

    func validate() throws {
        guard (0.1...20).contains(distance) else {
            throw ValidationError("--distance \(distance): must be 0.1 to 20")
        }
        guard seconds.map({ (5...3_600).contains($0) }) ?? true else {
            throw ValidationError("--seconds \(seconds ?? 0): must be 5 to 3600")
        }
        if let walk, stops == nil {
            throw ValidationError("--walk \(walk): must be two to five different distances in metres, as 1,2,4,7")
        }
    }

    /// The distances of the walk; `nil` where the option is malformed.
    private var stops: [Double]? {
        guard let parts = walk?.split(separator: ",", omittingEmptySubsequences: false) else { return nil }
        let distances = parts.compactMap { Double($0.trimmingPrefix { $0 == " " }) }
        guard distances.count == parts.count, WalkFit.stops.contains(distances.count),
            distances.allSatisfy({ WalkFit.distances_m.contains($0) }), Set(distances).count == distances.count
        else { return nil }
        return distances
    }

    func run() throws {
        try StartReserve.orExit()
        let settings = try loadSettingsOrDefaults(config)
        let target = BeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
        do {
            let lines =
                if let stops { try walked(stops, settings, target) } else { try measured(settings, target) }
            Output.write(lines.joined(separator: "\n") + "\n", to: STDOUT_FILENO)
        } catch let error as CalibrationError {
            Output.complain("\(error)")
            throw ExitCode.dataError
        } catch let error as WalkError {
            Output.complain("\(error)")
            throw ExitCode.dataError
        } catch let error as SystemError {
            Output.complain("\(error)")
            throw ExitCode.temporaryFailure
        }
    }

    private func measured(_ settings: Settings, _ target: BeaconIdentityConstraint) throws -> [String] {
        var session = CalibrationSession(settings, target, duration: .seconds(Double(seconds ?? 30)))
        let calibration = try session.run()
        let offset_db = settings.gateway.adapters.first?.rssiOffset_db ?? 0
        let result = try calibration.result(
            offset_db: offset_db, distance_m: distance, exponent: settings.gateway.distance.pathLossExponent)
        return CalibrationReport.lines(result, distance_m: distance, presentOffset_db: offset_db)
    }

    /// Each stop is a session of its own, so that reports on the way between stops do not count.
    private func walked(
        _ distances: [Double], _ settings: Settings, _ target: BeaconIdentityConstraint
    ) throws -> [String] {
        let offset_db = settings.gateway.adapters.first?.rssiOffset_db ?? 0
        var stops: [WalkStop] = []
        for distance_m in distances {
            Output.complain(CalibrationReport.prompt(distance_m: distance_m))
            guard readLine() != nil else { throw WalkError.stops(stops.count) }
            var session = CalibrationSession(settings, target, duration: .seconds(Double(seconds ?? 20)))
            let stop = try session.run().stop(offset_db: offset_db, distance_m: distance_m)
            Output.complain(CalibrationReport.line(stop))
            stops.append(stop)
        }
        return try WalkFit(stops).lines
    }
}
