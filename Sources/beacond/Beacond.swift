import Agent
import ArgumentParser

/// The command line.
@main
struct Beacond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacond",
        abstract: """
            Listens to the iBeacons around this machine and publishes to MQTT which regions are entered and left, and how near \
            the beacons are.
            """,
        version: Version.current,
        subcommands: [
            RunCommand.self, CheckCommand.self, ScanCommand.self, AdvertiseCommand.self, CalibrateCommand.self,
            ReplayCommand.self, SiteCommand.self, SimulateCommand.self,
        ])
}
