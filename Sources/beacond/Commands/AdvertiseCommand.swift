import Agent
import ArgumentParser
import Core
import Glibc
import Synchronization

/// `beacond advertise`: this machine as an iBeacon.
struct AdvertiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise",
        abstract: "Make this machine an iBeacon until it is stopped.",
        discussion: """
            Every receiver of Bluetooth 4 and later hears it; nobody can connect to it. What an earlier run left on the air \
            is replaced. If another process stops or changes the advertisement, it is started again. Without an adapter \
            advertise says what is missing and waits. Ctrl-C or SIGTERM takes it off the air.

            A gateway that is always a beacon too has [advertise] in its configuration instead.

            Exit status: 0 stopped; 64 a wrong value; 69 the controller refuses; 77 missing permission.
            """)

    @Option(help: ArgumentHelp("The proximity UUID.", valueName: "uuid"))
    var uuid: ProximityUUID

    @Option(help: ArgumentHelp("The major, 0 to 65535.", valueName: "n"))
    var major: UInt16

    @Option(help: ArgumentHelp("The minor, 0 to 65535.", valueName: "n"))
    var minor: UInt16

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The advertised RSSI at one metre, -127 to 20 dBm. (default: -59)", valueName: "dbm"))
    var measuredPower: Int8?

    @Option(help: ArgumentHelp("Milliseconds from one advertisement to the next, 20 to 10240.", valueName: "ms"))
    var interval = 100.0

    @Option(help: ArgumentHelp("The adapter: auto, hci0 or an address.", valueName: "adapter"))
    var adapter = RadioSettings.Adapter.automatic

    static let usualPower_dbm: Int8 = -59

    func validate() throws {
        if let measuredPower, !(-127...20).contains(measuredPower) {
            throw ValidationError("--measured-power \(measuredPower): must be -127 to 20")
        }
        guard (20...10_240).contains(interval) else {
            throw ValidationError("--interval \(interval): must be 20 to 10240")
        }
    }

    func run() throws {
        try StartReserve.orExit()
        let identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        let frame = IBeaconFrame(identity: identity, measuredPower_dbm: measuredPower ?? Self.usualPower_dbm)
        if measuredPower == nil {
            Output.complain(
                "measured power \(Self.usualPower_dbm) dBm, a usual value; for right distances measure it with "
                    + "'beacond calibrate' on another machine one metre away")
        }
        SignalBell.install([SIGINT, SIGTERM, SIGHUP])
        let outcome = AdvertisingOutcome()
        let loop: AdvertisingLoop
        do throws(SystemError) {
            loop = try AdvertisingLoop(Advertisement(frame, interval_ms: interval), on: adapter, report: outcome.record)
        } catch {
            Output.complain("\(error)")
            throw ExitCode.temporaryFailure
        }
        while SignalBell.wait(until: SystemClock.now + .milliseconds(200)).isEmpty, outcome.verdict == nil {}
        loop.stop()
        if let verdict = outcome.verdict { throw verdict }
    }
}

/// Reports the advertisement's state, and records faults that waiting cannot cure.
private final class AdvertisingOutcome: Sendable {
    private struct State {
        var wasOnAir = false
        var verdict: ExitCode?
    }

    private let state = Mutex(State())

    /// The exit status for such a fault; `nil` while there is none.
    var verdict: ExitCode? { state.withLock(\.verdict) }

    @Sendable func record(_ update: AdvertisingUpdate) {
        Output.complain("\(update)")
        state.withLock { state in
            switch update {
            case .advertising: state.wasOnAir = true
            case .waiting(.unauthorized): state.verdict = .noPermission
            case .trouble(.refused) where !state.wasOnAir: state.verdict = .unavailable
            case .waiting, .trouble: break
            }
        }
    }
}
