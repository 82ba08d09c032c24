import Logging

@testable import Agent
@testable import Core
@testable import TestDisk

/// One process of the agent, from its start to its end: the production code, wired as `beacond run` wires it.
final class AgentLife {
    let number: Int
    let outbox: Outbox
    let connection: SimulatedConnection
    private unowned let world: World
    private let dispatcher: Dispatcher
    let round: Round
    /// From the radio loop. Its content is examined and put into `inner`, from which the delivery loop takes it.
    private let outer: DeliveryQueue
    private let inner: DeliveryQueue
    let kernel: SimulatedKernel
    /// `nil` where the configuration has no place.
    let receivers: SimulatedReceivers?
    private let bell: Doorbell
    private let radio: RadioRunner<GatewayOwner>
    private var radioDue = Instant.distantFuture
    private var deliveryDue = Instant.distantFuture
    /// The time since which the delivery loop makes progress.
    private(set) var getsOnSince = Instant.distantFuture
    private(set) var isStopping = false
    /// Whether the disk had everything at the end of a life that was stopped.
    private(set) var isCommitted = false

    /// - Returns: `nil` where it can't start.
    init?(_ world: World, number: Int) {
        let (settings, machine) = (world.settings, world.machine)
        let logger = Logger(label: "agent") { _ in world.makeLogHandler() }
        let limits = OutboxLimits(settings.outbox)
        let seed = world.scenario.seed &+ UInt64(number)
        guard
            let outbox = try? Outbox(
                folder: SimulatedFolder(world.disk), vfs: world.disk.name,
                owner: GatewayIdentity(settings.identity.topics),
                limits: limits, at: machine.now, wallTime: machine.wall, generator: Chance(seed: seed, stream: "epoch")),
            let outer = try? DeliveryQueue(), let inner = try? DeliveryQueue(),
            let bell = try? Doorbell()
        else { return nil }
        let parts = AgentStart(
            settings, outbox, at: machine.now, machine.timebase, bootID: machine.bootID, newKey: [1, 2, 3],
            logger: logger)
        let requests = RequestQueue {}
        self.world = world
        self.number = number
        self.outbox = outbox
        self.outer = outer
        self.inner = inner
        dispatcher = parts.dispatcher
        connection = SimulatedConnection(
            world, world.network, machine, world.disk, keepalive_s: settings.broker.keepalive_s)
        let (topics, isAnswering) = (settings.identity.topics, settings.commands.isEnabled)
        let mayAdminister = world.scenario.mayAdminister
        let handler = RequestHandler(topics: topics, integrations: parts.dispatcher.integrations, queue: requests)
        let gateway = QueuedGateway(inner, isAnswering ? handler : nil, mayAdminister: mayAdminister)
        let absent = MessageComposer.RadioStatus.live(RadioCondition(.absent, mayAdminister: mayAdminister))
        let sink = BrokerSink(
            settings.broker, parts.dispatcher, link: connection, radio: absent, clock: machine,
            filters: isAnswering ? [topics.requestFilter] : [], seed: seed, logger: logger)
        round = Round(
            gateway, parts.dispatcher, to: sink, by: machine, .live(machine), radio: absent, logger: logger)
        kernel = SimulatedKernel(world, life: number)
        let receivers = world.scenario.van.map { _ in SimulatedReceivers(machine) }
        self.receivers = receivers
        self.bell = bell
        radio = RadioRunner(
            settings: settings.radio, mayAdminister: world.scenario.mayAdminister,
            owner: GatewayOwner(
                engine: parts.engine, outputs: parts.outputs, queue: outer, requests: requests, recent: nil,
                fixes: receivers.map { FixFeed($0, clock: $0.clock, logger: logger) }, moves: {}),
            kernel: kernel, bell: bell, logger: logger)
    }

    /// The liveness that the radio loop reported to the engine last.
    var liveness: RadioLiveness? { radio.liveness }

    /// The number of events committed since the start.
    var eventCount: Int64 { dispatcher.eventCount }

    func start() {
        radio.start()
        radioWorked()
        wakeDelivery(at: world.now)
    }

    // MARK: - The radio loop

    func radioDue(at now: Instant) {
        guard now >= radioDue, !isStopping else { return }
        radioDue = .distantFuture
        radioWorks()
    }

    /// The loop's waits are rounded up to milliseconds. Work that is due by now comes first.
    func catchUp() {
        if kernel.wakesAt - .milliseconds(1) < kernel.now { radioWorks() }
    }

    /// The controller sends an event.
    func receive(_ packet: [UInt8]) {
        kernel.receive(packet)
        if kernel.isWaitingForPackets { radioWorks() }
    }

    /// gpsd's client has news, and wakes the loop.
    func hear(_ news: GPSDUpdate) {
        guard !isStopping, let receivers else { return }
        catchUp()
        receivers.add(news)
        bell.ring()
        radioWorks()
    }

    /// Runs one round of the loop; called after everything that wakes it.
    func radioWorks() {
        radio.turn()
        radioWorked()
    }

    private func radioWorked() {
        world.checkEngine(radio.owner.checkInvariants())
        takeOutputs()
        radio.wait()
        let due = max(world.now, world.machine.time(kernel.wakesAt))
        if due < radioDue {
            radioDue = due
            world.agenda.add(.radioDue(life: number), at: due)
        }
    }

    private func takeOutputs() {
        let content = outer.take()
        world.take(content.outputs, self)
        inner.push(content.outputs)
        if let availability = content.availability { inner.push(availability) }
        if let figures = content.figures {
            world.checkFigures(figures)
            inner.push(figures, content.radio)
        }
        let hasUpdate = !content.outputs.isEmpty || content.availability != nil
        if hasUpdate { wakeDelivery(at: world.now + world.deliveryDelay) }
        world.radioRead(all: kernel.hasReadAll)
    }

    // MARK: - The delivery loop

    func wakeDelivery(at instant: Instant) {
        guard instant < deliveryDue else { return }
        deliveryDue = instant
        world.agenda.add(.deliveryDue(life: number), at: instant)
    }

    func deliveryDue(at now: Instant) {
        guard now >= deliveryDue, !isStopping else { return }
        deliveryDue = .distantFuture
        if let stalledUntil = world.stalledUntil, stalledUntil > now {
            getsOnSince = .distantFuture
            return wakeDelivery(at: stalledUntil)
        }
        getsOnSince = min(getsOnSince, now)
        _ = round.turn()
        let wake = connection.hasArrived ? now : max(now, world.machine.time(connection.wakesAt))
        wakeDelivery(at: wake)
    }

    /// SIGTERM: first the radio, then the queue, then the goodbye.
    func stop() {
        isStopping = true
        radio.turn()
        radio.stop()
        takeOutputs()
        inner.finish()
        while round.turn() {}
        world.roundEnded()
        connection.letsTimePass = true
        round.close()
        isCommitted = outbox.condition == nil
    }
}
