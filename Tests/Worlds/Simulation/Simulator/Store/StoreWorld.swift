@testable import Agent
@testable import Core

/// A store: its gateways and the process that joins them, each on a machine of its own, one broker, and visitors.
final class StoreWorld: PlayedWorld {
    enum Occurrence {
        /// A visitor's beacon advertises.
        case advertising(visitor: Int)
        /// A timer of a gateway's engine.
        case radioDue(machine: Int, life: Int)
        /// A delivery loop's next round.
        case deliveryDue(machine: Int, life: Int)
        case wire(client: Int, WireEvent)
        case fault(index: Int)
        case faultEnds(index: Int)
        case starts(machine: Int)
        case end
    }

    let scenario: StoreScenario
    let isTraced: Bool
    var now = Instant.origin
    var agenda = Agenda<Occurrence>()
    private(set) var machines: [StoreMachine] = []
    private(set) lazy var broker = SimulatedBroker(
        self, keepalive_s: 10, leftUnder: "beacons/store/gate/region", seed: scenario.seed)
    var floor: StoreFloor
    var account = NumberAccount()
    var witness: StoreWitness
    var hearing = HearingLog()
    /// `nil` where other parts than connections and gateways fail.
    var twin: StoreTwin?
    var chance: Chance
    var violation: Violation?
    var steps = 0
    var isOver = false
    var isHealed = false

    init(_ scenario: StoreScenario, isTraced: Bool) {
        self.scenario = scenario
        self.isTraced = isTraced
        floor = scenario.floor
        witness = StoreWitness(lateAfter: scenario.site.lateAfter)
        chance = Chance(seed: scenario.seed, stream: "store world")
        let siteTopics = scenario.settings.topics(of: scenario.site)
        twin = scenario.hasTwin ? StoreTwin(scenario, topics: siteTopics) : nil
        let topics = scenario.gateways.map(\.identity.topics) + [siteTopics]
        for (number, settings) in (scenario.gateways + [scenario.settings]).enumerated() {
            machines.append(StoreMachine(self, number: number, settings, topics[number]))
        }
    }

    /// The machine of the process that joins the gateways.
    var site: StoreMachine { machines[machines.count - 1] }

    var gateways: ArraySlice<StoreMachine> { machines.dropLast() }

    /// The time that a delivery loop takes to notice new work.
    var delay: TimeSpan { chance.span(0, 0.003) }

    func play() {
        for machine in machines {
            machine.clock.boot(&chance)
            // A store with a twin hears its gateways from their first message on.
            let isFirst = scenario.hasTwin && machine === site
            agenda.add(.starts(machine: machine.number), at: now + (isFirst ? .zero : chance.spread(0.1, 20)))
        }
        for visitor in floor.visitors.indices {
            agenda.add(.advertising(visitor: visitor), at: now + chance.span(0, 1))
        }
        for (index, fault) in scenario.faults.enumerated() { agenda.add(.fault(index: index), at: fault.begin) }
        agenda.add(.end, at: .origin + scenario.duration)
        pass(until: .distantFuture) { isOver }
        if violation == nil { finish() }
        // The files are closed before the disks go.
        for machine in machines { machine.life = nil }
    }

    var figures: KeyValuePairs<String, Int> {
        [
            "steps": steps, "faults": scenario.faults.count, "lives": machines.reduce(0) { $0 + $1.lives },
            "events": account.eventCount, "repetitions": account.repetitionCount, "exits": witness.exitCount,
            "zone_events": witness.zoneEventCount, "late": witness.claims.lateCount,
        ]
    }

    static func isEnd(_ occurrence: Occurrence) -> Bool {
        if case .end = occurrence { true } else { false }
    }

    func step(_ occurrence: Occurrence) {
        switch occurrence {
        case .advertising(let visitor): advertise(visitor)
        case .radioDue(let number, let life): withLife(number, life) { $0.radioDue(at: now) }
        case .deliveryDue(let number, let life):
            withLife(number, life) { life in
                life.deliveryDue(at: now)
                roundEnded(machines[number])
            }
        case .wire(let client, let event): happen(event, machines[client])
        case .fault(let index): begin(scenario.faults[index], index)
        case .faultEnds(let index): if !isHealed { end(scenario.faults[index]) }
        case .starts(let number): start(machines[number])
        case .end: break
        }
    }

    private func withLife(_ number: Int, _ life: Int, _ body: (StoreLife) -> Void) {
        guard let present = machines[number].life, present.number == life else { return }
        body(present)
    }

    private func happen(_ event: WireEvent, _ machine: StoreMachine) {
        switch event {
        case .arrivesAtBroker(let attempt, let packet):
            guard machine.line.lets(event, of: attempt) else { break }
            trace("\(machine.topics.gateway) → \(attempt) \(packet)")
            broker.receive(packet, of: attempt, from: machine.number)
        case .arrivesAtClient(let attempt, let news):
            guard machine.line.lets(event, of: attempt), let life = machine.life else { break }
            life.connection.receive(news, of: attempt)
            life.wakeDelivery(at: now + delay)
        case .ping(let attempt): machine.life?.connection.ping(of: attempt)
        case .keepaliveCheck(let attempt): broker.checkKeepalive(of: attempt, from: machine.number)
        }
    }

    private func advertise(_ visitor: Int) {
        agenda.add(.advertising(visitor: visitor), at: floor.nextTime(visitor, after: now))
        let levels = floor.levels_dbm(of: visitor, at: now)
        let (identity, address) = (floor.visitors[visitor].identity, floor.visitors[visitor].address)
        for machine in gateways {
            guard let level_dbm = levels[machine.number], !machine.isBlind, let life = machine.life, !life.isStopping
            else { continue }
            hearing.record(identity, by: machine.number, at: now)
            life.receive(Device.packet(of: identity, from: address, rssi_dbm: level_dbm))
        }
    }
}

extension StoreWorld {
    func add(_ event: WireEvent, of client: Int, at instant: Instant) {
        agenda.add(.wire(client: client, event), at: instant)
    }

    func line(of client: Int) -> SimulatedNetwork { machines[client].line }

    func accepted(_ message: Message) {
        // An empty message clears its topic.
        if message.payload.isEmpty {
            twin?.receiveCleared(message, at: now)
            return
        }
        check { () throws(Violation) in
            let (topic, payload) = try message.read(prefix: site.topics.prefix)
            try account.receive(payload, topic, message.payload)
            twin?.receive(payload, topic, message)
            guard topic.gateway == site.topics else { return }
            trace("store: \(message.topic) \(String(decoding: message.payload, as: UTF8.self))")
            while let event = account.next(of: site.topics) {
                try witness.receive(event.payload, event.instance, hearing, rightClocks: rightClocks)
                twin?.receiveEvent(event.payload, event.instance)
            }
        }
    }

    func refused(_ message: Message) {}

    /// The gateways whose clock was never wrong.
    var rightClocks: [String: Int] {
        var numbers: [String: Int] = [:]
        for machine in gateways where !machine.clockWasWrong { numbers[machine.topics.gateway] = machine.number }
        return numbers
    }
}
