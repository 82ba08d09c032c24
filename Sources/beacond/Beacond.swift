import ArgumentParser

/// The command line.
@main
struct Beacond: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacond",
        abstract: "Scans iBeacons, monitors regions, ranges beacons and publishes to MQTT.",
        version: Version.current,
        subcommands: [ReplayCommand.self, SimulateCommand.self])
}
