@testable import Core
@testable import TestDisk

/// One machine of a store: its clocks, its disk, its connection to the broker, and its process.
final class StoreMachine {
    /// Also the number of its connection at the broker. The last one is the store's own.
    let number: Int
    let settings: Settings
    /// The topics of its process.
    let topics: TopicTree
    let clock: SimulatedMachine
    let disk: SimulatedDisk
    let line: SimulatedNetwork
    var life: StoreLife?
    var lives = 0
    /// Whether the next crash of the disk ends the machine too.
    var crashTakesMachine = false
    /// Whether the gateway's adapter hears nothing.
    var isBlind = false
    /// Whether the disk had everything at the end of the delivery loop's last round.
    var isCommitted = true
    /// Whether the disk had everything at each end of a life, and could be read at each beginning.
    var wasAlwaysCommitted = true
    /// Whether the wall clock was ever wrong, or not known to be right.
    private(set) var clockWasWrong = false

    init(_ world: StoreWorld, number: Int, _ settings: Settings, _ topics: TopicTree) {
        self.number = number
        self.settings = settings
        self.topics = topics
        let seed = world.scenario.seed &+ UInt64(number) << 32
        clock = SimulatedMachine(world, drift_ppm: world.scenario.drifts_ppm[number])
        disk = SimulatedDisk(seed: seed, name: "simulated-\(number)")
        line = SimulatedNetwork(world, client: number, seed: seed)
    }

    /// Makes the wall clock wrong by `error` from now on.
    func setClock(off error: TimeSpan, isSynced: Bool) {
        clock.wallError = error
        clock.isSynced = isSynced
        clockWasWrong = clockWasWrong || error != .zero || !isSynced
    }
}
