import Agent
import ArgumentParser
import Core
import Glibc

/// `beacond simulate`: a simulated shop as a capture, for a first look without an adapter, for tests and for
/// benchmarks.
struct SimulateCommand: ParsableCommand {
    enum Scenario: String, CaseIterable, ExpressibleByArgument {
        case firstRun = "first-run"
        case crowd, rotation, rooms, chain, fleet

        /// True if several gateways hear it, each into a capture of its own.
        var hasGateways: Bool { self == .rooms || hasStores }
        /// Several stores hear it, each with a truth of its own.
        var hasStores: Bool { self == .chain || self == .fleet }
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

            Several gateways have a capture each, numbered before the ending of its name: shop.btsnoop becomes shop-1.btsnoop and \
            so on with the scenario rooms, and shop-STORE-GATEWAY.btsnoop with the scenarios chain and fleet, whose stores have a truth each, too.

            The scenario fleet is for the health of beacons: each store has 20 beacons that tell their battery, and two that are in no \
            register. Two of the 20 die, one is taken to another store, and the last store is deaf for a part of the time.

            Exit status: 0 written; 73 a file can't be created; 74 a file could not be written to the end.
            """)

    @Option(help: "Decides everything that is random; another number is another shop.")
    var seed: UInt64 = 1

    @Option(help: "Length of the capture in seconds, up to 31 days.")
    var seconds: Int64 = 600

    @Option(
        help:
            "first-run (everything happens within a minute), crowd (a working day), rotation (addresses change often), rooms (several gateways) or chain (several stores with floors and opening hours). Or fleet: several stores with beacons that die and move, over days."
    )
    var scenario = Scenario.firstRun

    @Option(help: "For the scenario rotation: phones at a time, up to 1000.")
    var phones = 2

    @Flag(help: "For the scenario rotation: each phone has a major and minor of its own; without it all have the same.")
    var ownIdentities = false

    @Option(help: "For the scenarios rooms, chain and fleet: rooms of each store with a gateway in each, 1 to 64.")
    var gateways = 4

    @Option(help: "For the scenarios chain and fleet: stores, 1 to 1000.")
    var stores = 3

    @Option(help: "For the scenarios chain and fleet: floors of each store, as many rooms on each.")
    var floors = 1

    @Option(
        help: ArgumentHelp(
            "For the scenario chain: when the stores open and close, counted from the capture's beginning, every 24 hours.",
            valueName: "hh:mm-hh:mm"))
    var open = OpeningHours.halfDay

    @Flag(help: "Let the capture begin now, not on 2026-01-01T00:00:00Z.")
    var startNow = false

    @Option(help: "With --start-now: how much of the capture lies in the past already, seconds.")
    var past: Int64 = 0

    @Option(
        help: ArgumentHelp(
            "For the scenario rooms: the second at which a phone comes that a reader can watch, 2/1 of the scenario first-run. It comes again every two minutes.",
            valueName: "seconds"))
    var firstPhoneAt: Int64?

    @Option(name: .customLong("write"), help: ArgumentHelp("The capture; - is standard output.", valueName: "capture"))
    var capture: String

    @Option(help: ArgumentHelp("Write what really happened, as JSON; - is standard output.", valueName: "file"))
    var truth: String?

    func validate() throws {
        guard (1...31 * 86_400).contains(seconds) else {
            throw ValidationError("--seconds \(seconds): must be 1 to \(31 * 86_400)")
        }
        guard (0...seconds).contains(past) else {
            throw ValidationError("--past \(past): must be 0 to \(seconds), the length of the capture")
        }
        guard past == 0 || startNow else { throw ValidationError("--past \(past): it needs --start-now") }
        guard firstPhoneAt.map((0...seconds).contains) ?? true else {
            throw ValidationError(
                "--first-phone-at \(firstPhoneAt ?? 0): must be 0 to \(seconds), the length of the capture")
        }
        guard (1...1_000).contains(phones) else {
            throw ValidationError("--phones \(phones): must be 1 to 1000")
        }
        guard (1...64).contains(gateways) else {
            throw ValidationError("--gateways \(gateways): must be 1 to 64")
        }
        guard (1...1_000).contains(stores) else {
            throw ValidationError("--stores \(stores): must be 1 to 1000")
        }
        guard floors > 0, gateways % floors == 0 else {
            throw ValidationError(
                "--floors \(floors): --gateways \(gateways) must be a multiple of it, so that floors are alike")
        }
        guard !scenario.hasGateways || capture != "-" else {
            throw ValidationError("--write -: the scenario \(scenario.rawValue) writes a file for each gateway")
        }
        guard !scenario.hasStores || truth != "-" else {
            throw ValidationError("--truth -: the scenario \(scenario.rawValue) writes a file for each store")
        }
        guard scenario != .fleet || open == .halfDay else {
            throw ValidationError("--open \(open): the beacons of the scenario fleet send by day and by night")
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
        let begin = startNow ? SystemClock.wall - .seconds(1) * past : Self.usualBegin
        switch scenario {
        case .firstRun: try write(.firstRun(seed: seed, duration: duration), from: begin)
        case .crowd: try write(.crowd(seed: seed, duration: duration), from: begin)
        case .rotation: try write(.rotation(seed: seed, duration: duration, crowd: rotationCrowd), from: begin)
        case .rooms:
            try write(seed: seed, truth: truth, to: capture, from: begin) { listening in
                .rooms(
                    seed: seed, duration: duration, gateways: gateways, listening: listening,
                    firstPhoneAt: firstPhoneAt.map { .origin + .seconds(1) * $0 })
            }
        case .chain:
            let store = StoreScenario.ChainStore(rooms: Rooms(count: gateways, floors: floors), hours: open.hours)
            try writeStores { seed, number in
                try write(
                    seed: seed, truth: truth.map { numbered($0, number) }, to: numbered(capture, number), from: begin
                ) { listening in
                    .chain(seed: seed, duration: duration, store: store, listening: listening)
                }
            }
        case .fleet:
            let fleet = BeaconFleet(seed: seed, duration: duration, stores: stores)
            try writeStores { seed, number in
                let store = number - 1
                if let truth {
                    let fate = FleetTruth(fleet, store: store, begin: begin)
                    try writeTruth(to: numbered(truth, number), fate.writeJSON)
                }
                try write(seed: seed, truth: nil, to: numbered(capture, number), from: begin) { listening in
                    .fleet(
                        fleet, seed: seed, store: store, rooms: Rooms(count: gateways, floors: floors),
                        listening: listening)
                }
            }
        }
    }

    /// Each store, from 1 on, with a seed of its own.
    private func writeStores(_ body: (_ seed: UInt64, _ number: Int) throws -> Void) throws {
        for number in 1...stores { try body(seed &+ UInt64(number - 1) &* 0xBF58_476D_1CE4_E5B9, number) }
    }

    private var duration: TimeSpan { .seconds(1) * seconds }

    /// A shop with one gateway.
    private func write(_ shop: StoreScenario, from begin: WallTime) throws {
        if let truth { try writeTruth(to: truth, shop.truth.writeJSON) }
        try write(shop, seed: seed, to: capture, from: begin)
    }

    /// A shop with several gateways: the same people for each, and a receiver and an air of its own.
    private func write(
        seed: UInt64, truth: String?, to capture: String, from begin: WallTime,
        shop: (_ listening: Int) -> StoreScenario
    ) throws {
        if let truth { try writeTruth(to: truth, shop(0).truth.writeJSON) }
        for room in 0..<gateways {
            try write(
                shop(room), seed: seed &+ UInt64(room) &* 0x9E37_79B9_7F4A_7C15, to: numbered(capture, room + 1),
                from: begin)
        }
    }

    /// The name of one of several files: the number stands before the ending.
    private func numbered(_ path: String, _ number: Int) -> String {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(path)-\(number)" }
        let ending = name[dot...]
        return path.dropLast(ending.count) + "-\(number)" + ending
    }

    private func write(_ shop: StoreScenario, seed: UInt64, to path: String, from begin: WallTime) throws {
        var simulation = StoreSimulation(scenario: shop, seed: seed)
        let output = try OutputFile(path: path)
        try output.write(BTSnoopWriter.header)
        if scenario.hasGateways {
            // The controller has begun to scan: a store's captures begin together, whatever each hears first, so that they can be joined.
            let scans = CommandCompleteEvent(opcode: .scanEnable(.legacy), returnParameters: [0x00])
            try output.write(BTSnoopWriter.record(event: scans.octets, at: begin))
        }
        while let packet = simulation.next() {
            let event = AdvertisingReportEncoder.event([(packet.report, packet.data)])
            try output.write(BTSnoopWriter.record(event: event, at: begin + (packet.at - .origin)))
        }
        try output.finish()
    }

    private var rotationCrowd: StoreScenario.RotationCrowd {
        var crowd = StoreScenario.RotationCrowd()
        crowd.phones = phones
        crowd.sharesIdentity = !ownIdentities
        return crowd
    }

    private func writeTruth(
        to path: String, _ writeJSON: ((String) throws(FileError) -> Void) throws(FileError) -> Void
    ) throws {
        let output = try OutputFile(path: path)
        try writeJSON { piece throws(FileError) in try output.write(Array(piece.utf8)) }
        try output.finish()
    }

    /// 2026-01-01T00:00:00Z.
    private static let usualBegin = WallTime(microseconds: 1_767_225_600_000_000)
}
