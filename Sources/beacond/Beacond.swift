import ArgumentParser
import Daemon

/// The command line.
@main
struct Beacond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacond",
        abstract: "Scans iBeacons, monitors regions, ranges beacons and publishes to MQTT.",
        version: Version.current,
        subcommands: [
            RunCommand.self, CheckCommand.self, ScanCommand.self, AdvertiseCommand.self, CalibrateCommand.self,
            ReplayCommand.self, SimulateCommand.self,
        ])
}
