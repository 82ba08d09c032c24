import Logging

@testable import Agent
@testable import Core
@testable import TestDisk

/// The machine, its disk, its adapter, the connection, the broker, the shop, and the agent in the middle.
final class World: PlayedWorld {
    /// The broker's only client.
    static let client = 0

    let scenario: Scenario
    /// The scenario's settings, with the gateway's present id.
    var settings: Settings
    var now = Instant.origin
    var agenda = Agenda<Occurrence>()
    let disk: SimulatedDisk
    let adapter = SimulatedAdapter()
    var antenna: SharedAntenna
    private var commandTimes: [Instant] = []
    private(set) lazy var machine = SimulatedMachine(self, drift_ppm: scenario.drift_ppm)
    private(set) lazy var network = SimulatedNetwork(self, client: Self.client, seed: scenario.seed)
    private(set) lazy var broker = SimulatedBroker(
        self, keepalive_s: scenario.settings.broker.keepalive_s, leftUnder: "beacons/store/gate/region",
        seed: scenario.seed)
    private(set) lazy var subscriber = Subscriber(self)
    var shop: Shop
    /// Reports that the radio loop has not read yet.
    var unread: [BeaconIdentity] = []
    var life: AgentLife?
    var lives = 0
    /// The end of the former life; the origin where it is not certain what it committed.
    var endedAt = Instant.origin
    /// Whether the disk had everything at the end of the delivery loop's last round, and at each end of a life.
    var isCommitted = true
    var wasAlwaysCommitted = true
    /// The time until which the delivery loop makes no progress.
    var stalledUntil: Instant?
    var ledger = Ledger()
    var coverage = CoverageAccount()
    /// For each series that has no account of its own.
    var others = Dictionary(
        uniqueKeysWithValues: Set(NumberSeries.allCases).subtracting([.events, .spans, .batches]).map {
            ($0, SeriesAccount<[UInt8]>($0))
        })
    var witness: Witness
    var census: Census
    /// Whether beacons of the shop's regions are made up, which the witness does not know.
    var isFlooded = false
    var circles: CircleWitness
    var tracks = TrackAccount()
    /// `nil` where nothing rides.
    var receiver: SimulatedReceiver?
    /// The time until which gpsd is away.
    var receiverBackAt = Instant.origin
    var violation: Violation?
    var isOver = false
    var steps = 0
    var chance: Chance
    let isTraced: Bool
    var isHealed = false

    init(_ scenario: Scenario, isTraced: Bool) {
        self.scenario = scenario
        settings = scenario.settings
        self.isTraced = isTraced
        disk = SimulatedDisk(seed: scenario.seed, name: "simulated")
        shop = scenario.shop
        antenna = SharedAntenna(seed: scenario.seed)
        witness = Witness(scenario)
        census = Census(scenario)
        circles = CircleWitness(scenario.van, scenario.settings)
        receiver = scenario.van.map { _ in
            SimulatedReceiver(
                seed: scenario.seed, desiredAccuracy_m: scenario.settings.gateway.location?.desiredAccuracy_m ?? 0)
        }
        chance = Chance(seed: scenario.seed, stream: "world")
    }

    /// The topics of the gateway's present id.
    var topics: TopicTree { settings.identity.topics }

    /// The time that the delivery loop takes to notice new work.
    var deliveryDelay: TimeSpan { chance.span(0, 0.003) }

    /// Whether messages may come from a process that ended before the checks could examine its store.
    var isInDoubt: Bool { life == nil }

    func makeLogHandler() -> any LogHandler {
        isTraced ? StreamLogHandler.standardOutput(label: "agent") : SwiftLogNoOpLogHandler()
    }

    func play() {
        machine.boot(&chance)
        for (device, at) in shop.firstTimes() { agenda.add(.advertising(device: device), at: at) }
        for (index, fault) in scenario.faults.enumerated() { agenda.add(.fault(index: index), at: fault.begin) }
        agenda.add(.agentStarts, at: now)
        if scenario.van != nil { agenda.add(.receiverSpeaks, at: now + .milliseconds(500)) }
        agenda.add(.end, at: .origin + scenario.duration)
        pass(until: .distantFuture) { isOver }
        if violation == nil { finish() }
        // The file is closed before the disk goes.
        life = nil
    }

    var figures: KeyValuePairs<String, Int> {
        [
            "steps": steps, "faults": scenario.faults.count, "lives": lives, "events": subscriber.eventCount,
            "repetitions": subscriber.repetitionCount, "gaps": subscriber.gapCount,
            "spans": coverage.series.count, "counts": census.comparisons, "crossings": circles.crossingCount,
            "due": circles.dueCount, "places": tracks.placeCount, "batches": tracks.batchCount,
        ]
    }

    static func isEnd(_ occurrence: Occurrence) -> Bool {
        if case .end = occurrence { true } else { false }
    }

    func step(_ occurrence: Occurrence) {
        switch occurrence {
        case .advertising(let device): advertise(device)
        case .controllerAnswers(let number, let packet): withLife(number) { $0.receive(packet) }
        case .repairEnds(let number, let repair):
            withLife(number) { life in
                for event in adapter.repair(repair.step) { life.kernel.post(event) }
                repair.end()
                life.radioWorks()
            }
        case .radioDue(let number): withLife(number) { $0.radioDue(at: now) }
        case .deliveryDue(let number):
            withLife(number) { life in
                life.deliveryDue(at: now)
                roundEnded()
            }
        case .wire(let event): happen(event)
        case .receiverSpeaks: vanMoves()
        case .fault(let index): begin(scenario.faults[index], index)
        case .faultEnds(let index): if !isHealed { end(scenario.faults[index]) }
        case .agentStarts: startAgent()
        case .end: break
        }
        witness.listens(life?.kernel.seemsToListen ?? false, at: now)
        census.hears(life?.kernel.isListening ?? false, at: now)
    }

    private func happen(_ event: WireEvent) {
        switch event {
        case .arrivesAtBroker(let attempt, let packet):
            guard network.lets(event, of: attempt) else { break }
            trace("→ \(attempt) \(packet)")
            broker.receive(packet, of: attempt, from: Self.client)
        case .arrivesAtClient(let attempt, let news):
            guard network.lets(event, of: attempt), let life else { break }
            trace("← \(attempt) \(news)")
            life.connection.receive(news, of: attempt)
            life.wakeDelivery(at: now + deliveryDelay)
        case .ping(let attempt): life?.connection.ping(of: attempt)
        case .keepaliveCheck(let attempt): broker.checkKeepalive(of: attempt, from: Self.client)
        }
    }

    private func withLife(_ number: Int, _ body: (AgentLife) -> Void) {
        guard let life, life.number == number else { return }
        body(life)
    }

    private func advertise(_ device: Int) {
        let (packet, next) = shop.advertise(device, at: now)
        if let next { agenda.add(.advertising(device: device), at: next) }
        guard let packet, let life, life.kernel.isListening, antenna.hears(at: now) else { return }
        life.catchUp()
        if isFlooded { return life.receive(packet) }
        let identity = shop.devices[device].identity
        witness.willHear(identity, at: now)
        census.heard(identity, at: now)
        unread.append(identity)
        life.receive(packet)
    }

    // MARK: - Checks

    /// The agent has sent the controller a command.
    func sentCommand() {
        commandTimes.append(now)
        commandTimes.removeAll { now - $0 > Limits.commandSpan }
        check { () throws(Violation) in try Limits.check(commands: commandTimes.count) }
    }

    /// The radio loop has ended a round: the beacons in its reports are inside.
    ///
    /// - Parameter all: whether it has read everything; `nil` where the unread rest is lost.
    func radioRead(all: Bool?) {
        if all == false || isFlooded { return }
        if all == true {
            for identity in unread { check { () throws(Violation) in try witness.didHear(identity) } }
        }
        unread = []
    }

    /// The engine has made outputs.
    func take(_ outputs: [GatewayOutput], _ life: AgentLife) {
        if outputs.isEmpty { return }
        ledger.take(outputs)
        if scenario.van != nil { check { () throws(Violation) in try tracks.take(outputs, at: now) } }
        for output in outputs where !isFlooded {
            check { () throws(Violation) in
                switch output {
                case .transition(let transition, _) where circles.state(of: transition.instance) != nil:
                    trace("\(transition.instance) \(transition.state) \(transition.event?.kind as Any)")
                    try circles.take(transition, at: now)
                case .transition(let transition, _):
                    trace("\(transition.instance) \(transition.state) \(transition.event?.kind as Any)")
                    try witness.take(
                        transition, radioSees: life.liveness == .live, adapterIsUp: adapter.isUp, at: now)
                default: if let report = output.content(RangingReport.self) { try census.check(report, at: now) }
                }
            }
        }
    }

    /// Fails the simulation where a rule of the engine's state does not hold.
    func checkEngine(_ broken: [String]) {
        guard let first = broken.first else { return }
        check { () throws(Violation) in throw Violation(invariant: .structure, detail: first) }
    }

    func checkFigures(_ figures: GatewayFigures) {
        check { () throws(Violation) in
            try Limits.check(figures, scenario.settings.gateway)
            if !isFlooded { try witness.check(at: now) }
        }
    }

    /// The delivery loop has ended a round.
    func roundEnded() {
        guard let life else { return }
        if disk.hasCrashed { return died(withMachine: crashTakesMachine) }
        isCommitted = life.outbox.isDurable
        check { () throws(Violation) in
            try ledger.roundEnded(life.outbox)
            coverage.series.roundEnded(life.outbox.numbering)
            for series in others.keys { others[series]?.roundEnded(life.outbox.numbering) }
            try tracks.roundEnded(
                life.outbox.numbering,
                isDurable: isCommitted && stalledUntil == nil && now - life.getsOnSince > .seconds(2), at: now)
            let counted = others.values.reduce(0) { $0 + $1.numberedCount }
            try Limits.check(
                life.outbox, disk, others: coverage.series.numberedCount + tracks.numberedCount + counted)
            try Limits.check(life.round.sink)
        }
    }

    /// Whether the next crash of the disk ends the machine too.
    var crashTakesMachine = false
}
