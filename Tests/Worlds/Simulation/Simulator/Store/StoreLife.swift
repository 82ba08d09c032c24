import Logging

@testable import Agent
@testable import Core
@testable import TestDisk

/// One process of a store, from its start to its end: the production code, wired as `beacond run` and `beacond site`
/// wire it. A gateway lacks only its radio loop, whose part the world plays.
final class StoreLife {
    let number: Int
    let outbox: Outbox
    let connection: SimulatedConnection
    private unowned let world: StoreWorld
    private unowned let machine: StoreMachine
    let round: Round
    /// Ends the store's own process; `nil` in a gateway's.
    private let stopRequest: StopRequest?
    /// From the radio loop to the delivery loop. Content of `outer` wakes the delivery loop.
    private let outer: DeliveryQueue
    private let inner: DeliveryQueue
    /// `nil` in the store's own process.
    private var owner: GatewayOwner?
    /// `nil` in a gateway's process.
    private let feed: StoreFeed?
    private var radioDue = Instant.distantFuture
    private var deliveryDue = Instant.distantFuture
    private(set) var isStopping = false

    /// - Returns: `nil` where it can't start.
    init?(_ world: StoreWorld, _ machine: StoreMachine) {
        let (settings, clock, scenario) = (machine.settings, machine.clock, world.scenario)
        let logger = Logger(label: machine.topics.gateway) { [isTraced = world.isTraced] label -> any LogHandler in
            isTraced ? StreamLogHandler.standardOutput(label: label) : SwiftLogNoOpLogHandler()
        }
        let seed = scenario.seed &+ UInt64(machine.lives)
        let stream = "epoch of \(machine.topics.gateway)"
        guard
            let outbox = try? Outbox(
                folder: SimulatedFolder(machine.disk), vfs: machine.disk.name, owner: GatewayIdentity(machine.topics),
                limits: OutboxLimits(settings.outbox), at: clock.now, wallTime: clock.wall,
                generator: Chance(seed: seed, stream: stream)),
            let outer = try? DeliveryQueue(), let inner = try? DeliveryQueue()
        else { return nil }
        let requests = RequestQueue {}
        let (dispatcher, engine, radio): (Dispatcher, any Engine, MessageComposer.RadioStatus)
        var (filters, limits): ([String], IncomingLimits) = ([], .requests)
        if machine.number < scenario.gateways.count {
            let parts = AgentStart(
                settings, outbox, at: clock.now, clock.timebase, bootID: clock.bootID, newKey: [1, 2, 3],
                logger: logger)
            owner = GatewayOwner(
                engine: parts.engine, outputs: parts.outputs, queue: outer, requests: requests, recent: nil, moves: {})
            (dispatcher, engine) = (parts.dispatcher, QueuedGateway(inner, nil, mayAdminister: true))
            feed = nil
            (radio, stopRequest) = (.live(RadioCondition(.absent, mayAdminister: true)), nil)
        } else {
            guard let stop = try? StopRequest() else { return nil }
            let parts = SiteStart(
                scenario.site, settings, machine.topics, outbox, radio: .live(.absent), at: clock.now, clock.timebase,
                bootID: clock.bootID, newKey: [1, 2, 3], logger: logger)
            let feed = StoreFeed(
                parts.engine, topics: machine.topics, outputs: parts.outputs, stop: stop, at: clock.now)
            (dispatcher, engine, radio, stopRequest) = (parts.dispatcher, feed, feed.status, stop)
            (filters, limits) = (feed.filters, StoreFeed.limits)
            self.feed = feed
        }
        self.world = world
        self.machine = machine
        self.number = machine.lives
        self.outbox = outbox
        self.outer = outer
        self.inner = inner
        connection = SimulatedConnection(
            world, machine.line, clock, machine.disk, keepalive_s: settings.broker.keepalive_s)
        let sink = BrokerSink(
            settings.broker, dispatcher, link: connection, radio: radio, clock: clock, filters: filters,
            limits: limits, seed: seed, logger: logger)
        round = Round(engine, dispatcher, to: sink, by: clock, .live(clock), radio: radio, logger: logger)
    }

    func start() {
        if machine === world.site { connection.onTaken = { [world] in world.witness.hears($0) } }
        radioChanged()
        wakeDelivery(at: world.now)
    }

    // MARK: - The radio loop of a gateway

    /// The adapter has come or gone.
    func radioChanged() {
        let now = machine.clock.now
        owner?.livenessChanged(to: machine.isBlind ? .blind(since: now) : .live, at: now)
        owner?.availabilityChanged(to: machine.isBlind ? .absent : .scanning, at: now)
        radioWorks()
    }

    /// The controller sends an event.
    func receive(_ packet: [UInt8]) {
        guard !isStopping else { return }
        owner?.packet(packet.span, from: 0, at: machine.clock.now)
        radioWorks()
    }

    func radioDue(at now: Instant) {
        guard now >= radioDue, !isStopping else { return }
        radioDue = .distantFuture
        radioWorks()
    }

    private func radioWorks() {
        guard var wait = owner?.tick(at: machine.clock.now) else { return }
        if wait.needsProof, !machine.isBlind {
            // The controller answers at once.
            owner?.radioProved(at: machine.clock.now)
            wait = owner?.tick(at: machine.clock.now) ?? wait
        }
        checkEngine()
        takeOutputs()
        let at = max(world.now + .milliseconds(1), machine.clock.time(wait.due))
        guard at < radioDue, wait.due < .distantFuture else { return }
        radioDue = at
        world.agenda.add(.radioDue(machine: machine.number, life: number), at: at)
    }

    private func takeOutputs() {
        let content = outer.take()
        inner.push(content.outputs)
        if let availability = content.availability { inner.push(availability) }
        if !content.outputs.isEmpty || content.availability != nil { wakeDelivery(at: world.now + world.delay) }
    }

    // MARK: - The delivery loop

    func wakeDelivery(at instant: Instant) {
        guard instant < deliveryDue else { return }
        deliveryDue = instant
        world.agenda.add(.deliveryDue(machine: machine.number, life: number), at: instant)
    }

    func deliveryDue(at now: Instant) {
        guard now >= deliveryDue, !isStopping else { return }
        deliveryDue = .distantFuture
        _ = round.turn()
        if feed != nil { checkEngine() }
        wakeDelivery(at: connection.hasArrived ? now : max(now, machine.clock.time(connection.wakesAt)))
    }

    private func checkEngine() {
        world.check { () throws(Violation) in
            if let broken = (owner?.checkInvariants() ?? feed?.checkInvariants())?.first {
                throw Violation(invariant: .structure, detail: "\(machine.topics.gateway): \(broken)")
            }
        }
    }

    /// SIGTERM: first the radio, then the queue, then the goodbye.
    func stop() {
        isStopping = true
        owner?.stopped(at: machine.clock.now)
        takeOutputs()
        inner.finish()
        stopRequest?.make()
        while round.turn() {}
        world.roundEnded(machine)
        connection.letsTimePass = true
        round.close()
    }
}
