@testable import Core

/// One machine of a store: its clocks, its disk, its line to the broker, and the process that runs on it.
final class StoreMachine {
    /// Of its line at the broker, too. The last one is the store's own.
    let number: Int
    let settings: Settings
    /// What its process publishes under.
    let topics: TopicTree
    let clock: SimulatedMachine
    let disk: SimulatedDisk
    let line: SimulatedNetwork
    var life: StoreLife?
    var lives = 0
    /// What the next crash of the disk means.
    var crashTakesMachine = false
    /// What the adapter of a gateway does, whoever listens.
    var isBlind = false
    /// Whether the disk had everything when the delivery loop went round last.
    var isCommitted = true
    /// Whether the disk had everything at each end of a life, and could be read at each beginning.
    var wasAlwaysCommitted = true
    /// Whether the time of day was ever wrong, or not known to be right.
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

    /// The time of day is off by `error` from now on.
    func setClock(off error: TimeSpan, isSynced: Bool) {
        clock.wallError = error
        clock.isSynced = isSynced
        clockWasWrong = clockWasWrong || error != .zero || !isSynced
    }
}
