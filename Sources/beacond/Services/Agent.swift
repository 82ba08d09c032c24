import Agent
import Core
import Logging
import ServiceLifecycle

/// The daemon: radio loop, queue and delivery loop, started and stopped together.
struct Agent {
    /// The settings of the file, and those in effect: a gateway may have taken some tables over MQTT.
    private var file: ConfigurationFile.Loaded
    private var settings: Settings
    /// The path of the configuration; `nil` for the usual places.
    let configurationPath: String?
    /// The kind of agent: a gateway, or the store that several gateways form.
    let role: Role
    let supervision = Supervision()
    private let pace = SettingsPace()
    /// The gateway has opened its stored settings in this process.
    private var hasBegun = false

    init(_ file: ConfigurationFile.Loaded, configurationPath: String?, role: Role = .gateway) {
        (self.file, settings) = (file, file.settings)
        self.configurationPath = configurationPath
        self.role = role
    }

    enum Role {
        case gateway
        case site
    }

    /// A fault that keeps the agent from starting.
    enum Problem: Error, CustomStringConvertible {
        case outbox(OutboxError)
        /// A thread, a socket or a pipe of a loop could not be made.
        case loop(SystemError)

        var description: String {
            switch self {
            case .outbox(let error): "\(error)"
            case .loop(let error): "\(error)"
            }
        }
    }

    /// Works until SIGTERM or SIGINT. SIGHUP makes it read the configuration again: for a changed one, everything is
    /// stopped and started again from the stored state. A faulty one is refused, and the old one stays in force.
    mutating func run() async throws {
        let signals = await RunSignals()
        while !signals.isStopping {
            let current = ConfigurationVersion(file.settings)
            var desk: SettingsDesk?
            // Services stop in reverse order.
            let services = try start(signals, &desk).map {
                ServiceGroupConfiguration.ServiceConfiguration($0, whenItReturns: .ignore)
            }
            let reload = ReloadService(
                path: configurationPath, role: certificateRole, current: current, signals: signals,
                manager: supervision.manager, logger: logger)
            let reloading = ServiceGroupConfiguration.ServiceConfiguration(
                reload, whenItReturns: .gracefullyShutdownGroup)
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: services + [reloading], logger: quiet))
            await signals.willRun(group)
            try await group.run()
            guard let reloaded = reload.file else {
                desk?.end()
                return
            }
            (file, settings) = (reloaded, reloaded.settings)
        }
        // Between two groups, or before the first, no service existed to report it.
        supervision.manager.notify(.stopping)
    }

    private var certificateRole: CertificateIdentity.Role { role == .site ? .site : .gateway }

    /// Made from the settings in force, because a reload may have changed the level.
    private var logger: Logger { Log.make(settings.log.level) }

    /// A logger for the lifecycle, whose own lines do not help an operator.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .error)
        return logger
    }

    private mutating func start(_ signals: RunSignals, _ desk: inout SettingsDesk?) throws(Problem) -> [any Service] {
        StartReserve.forbidDumps(settings)
        return switch role {
        case .gateway: try startGateway(signals, &desk)
        case .site: try startSite()
        }
    }

    /// Starts a store, which needs the delivery loop alone.
    private func startSite() throws(Problem) -> [any Service] {
        let (now, timebase) = (SystemClock.now, SystemClock.timebase)
        let site = settings.site ?? settings.siteDefaults
        let topics = settings.topics(of: site)
        let outbox = try openOutbox(settings.outbox.directory + "-site", topics, at: now, timebase)
        let parts = SiteStart(
            site, settings, topics, outbox, radio: .live(.absent), at: now, timebase, bootID: SystemClock.bootID,
            newKey: PseudonymKey.random(), localTime: MachineTimeZone.use(site.timeZone), logger: logger)
        do throws(SystemError) {
            let stop = try StopRequest()
            let feed = StoreFeed(
                parts.engine, topics: topics, outputs: parts.outputs, stop: stop, today: parts.today, heat: parts.heat,
                people: parts.people, at: now)
            let worker = try startDelivery(
                feed, parts.dispatcher, radio: feed.status, filters: feed.filters, limits: StoreFeed.limits)
            let watchdog = WatchdogService(manager: supervision.manager, pulse: supervision.pulse, logger: logger)
            return [delivery(worker, finish: stop.make), watchdog, StartPagesService()]
        } catch {
            throw .loop(error)
        }
    }

    /// Opens the stored settings over MQTT, and makes those in effect the agent's. The outbox is open by then: it is what
    /// keeps two agents out of one state folder, and none of its settings comes over MQTT.
    private mutating func openSettings(_ signals: RunSignals) -> SettingsDesk? {
        guard file.settings.fleet.takesSettings else {
            settings = ConfigurationInEffect(file).settings
            return nil
        }
        let desk = SettingsDesk(file, isFirst: !hasBegun, pace: pace, logger: logger, reload: signals.askNewSettings)
        hasBegun = true
        settings = desk.configuration.settings
        return desk
    }

    private mutating func startGateway(
        _ signals: RunSignals, _ desk: inout SettingsDesk?
    ) throws(Problem) -> [any Service] {
        let (now, timebase) = (SystemClock.now, SystemClock.timebase)
        let outbox = try openOutbox(settings.outbox.directory, settings.identity.topics, at: now, timebase)
        desk = openSettings(signals)
        // Days count for people alone.
        let localTime = settings.gateway.countsPeople ? MachineTimeZone.use(settings.site?.timeZone ?? "") : .utc
        let parts = AgentStart(
            settings, outbox, at: now, timebase, bootID: SystemClock.bootID, reporting: desk?.report,
            localTime: localTime, logger: logger)
        do throws(SystemError) {
            let queue = try DeliveryQueue()
            let mayAdminister = ProcessCapabilities.current().mayAdminister
            let receiver = try receiver()
            let source: RadioSource =
                if let receiver {
                    .receiver(receiver.settings, receiver.inbox, wall: SystemClock.syncedWall)
                } else { .adapters(settings.radio, mayAdminister: mayAdminister) }
            let loop = try RadioLoop(source, logger: logger)
            let requests = RequestQueue(wake: loop.wake)
            let recent = settings.capture.map { RecentEvents(capacity: $0.max_MiB << 20) }
            let location = try receivers(wake: loop.wake)
            let owner = GatewayOwner(
                engine: parts.engine, outputs: parts.outputs, queue: queue, requests: requests, recent: recent,
                fixes: location.map { FixFeed($0, clock: SystemClock.syncedWall, logger: logger) },
                clock: { SystemClock.timebase }, moves: supervision.pulse.beatRadio)
            let (topics, isAnswering) = (settings.identity.topics, settings.commands.isEnabled)
            let handler = RequestHandler(topics: topics, integrations: parts.dispatcher.integrations, queue: requests)
            let people = PeopleSharing(settings)
            let gateway = QueuedGateway(
                queue, isAnswering ? handler : nil, mayAdminister: mayAdminister,
                isSupported: { AdapterSurvey.isSupported }, settings: desk, people: people.map { ($0, requests) },
                receiver: receiver.map { ($0.settings.topic, $0.inbox) })
            let worker = try startDelivery(
                gateway, parts.dispatcher,
                radio: .live(
                    receiver.map { RadioCondition(.absent, receiver: $0.settings.topic) }
                        ?? RadioCondition(
                            .absent, mayAdminister: mayAdminister, isSupported: AdapterSurvey.isSupported)),
                filters: (isAnswering ? [topics.requestFilter] : [])
                    + [desk?.topic, receiver?.sharedFilter, people?.filter].compactMap(\.self),
                limits: receiver?.sharedFilter == nil
                    ? (desk == nil ? .requests : .settings) : ReceiverConnection.limits)
            let watchdog = WatchdogService(manager: supervision.manager, pulse: supervision.pulse, logger: logger)
            // The radio stops first, so that its last outputs are still delivered.
            let radio = PartService(name: "radio", start: { try loop.start(owner: owner) }, stop: loop.stop)
            return [delivery(worker, finish: queue.finish), radio]
                + [
                    CaptureService(settings: settings.capture, recent: recent, logger: logger), watchdog,
                    StartPagesService(),
                ]
                + (location.map { [PartService(name: "location", start: $0.start, stop: $0.stop)] } ?? [])
                + (receiver?.connection.map { [PartService(name: "receiver", stop: $0.end)] } ?? [])
                + (try advertising().map { [$0] } ?? [])
        } catch {
            throw .loop(error)
        }
    }

    /// A receiver with the connection of its own, where its broker is another one.
    private struct Receiver {
        let settings: ReceiverSettings
        let inbox: ReceiverInbox
        let connection: ReceiverConnection?

        /// The topics that the agent's own connection reads for it.
        var sharedFilter: String? { connection == nil ? settings.topic : nil }
    }

    private func receiver() throws(SystemError) -> Receiver? {
        guard let receiver = settings.receiver else { return nil }
        let inbox = try ReceiverInbox(filter: receiver.topic)
        guard let broker = receiver.broker else { return Receiver(settings: receiver, inbox: inbox, connection: nil) }
        let connection = try ReceiverConnection(
            broker, clientID: Publisher.clientID(settings.identity.topics), filter: receiver.topic, inbox: inbox,
            logger: logger)
        return Receiver(settings: receiver, inbox: inbox, connection: connection)
    }

    /// Returns gpsd's client, where the configuration takes the place from gpsd.
    ///
    /// - Parameter wake: makes the radio loop look for updates.
    private func receivers(wake: @escaping @Sendable () -> Void) throws(SystemError) -> GPSDClient? {
        guard case .gpsd(let host, let port)? = settings.gateway.location?.source else { return nil }
        return try GPSDClient(HostPort(host: host, port: port), wake: wake)
    }

    private func advertising() throws(SystemError) -> PartService? {
        guard let advertise = settings.advertise, let adapter = settings.radio.adapters.first else { return nil }
        let logger = logger
        let advertisement = Advertisement(advertise.frame, interval_ms: advertise.interval_ms)
        let loop = try AdvertisingLoop(advertisement, on: adapter) { update in
            switch update {
            case .advertising: logger.info("\(update)")
            case .waiting, .trouble: logger.warning("advertising: \(update)")
            }
        }
        return PartService(name: "advertising", stop: loop.stop)
    }

    private func openOutbox(
        _ directory: String, _ topics: TopicTree, at now: Instant, _ timebase: Timebase
    ) throws(Problem) -> Outbox {
        let limits = OutboxLimits(settings.outbox)
        do throws(OutboxError) {
            let outbox = try Outbox(
                directory: directory, owner: GatewayIdentity(topics), limits: limits, at: now,
                wallTime: timebase.wall(now))
            for report in outbox.takeReports() { logger.warning("\(report)") }
            return outbox
        } catch {
            throw .outbox(error)
        }
    }

    /// The delivery loop ends after all others, once it has delivered everything.
    private func delivery(_ worker: WorkerThread, finish: @escaping @Sendable () -> Void) -> PartService {
        PartService(name: "delivery") {
            finish()
            worker.join()
        }
    }

    /// Starts the thread that commits and delivers the engine's outputs.
    ///
    /// - Parameters:
    ///   - radio: the radio's part of the first status.
    ///   - filters: topic filters to subscribe to, with the limits of their messages.
    private func startDelivery(
        _ engine: sending any Engine, _ dispatcher: sending Dispatcher, radio: MessageComposer.RadioStatus,
        filters: [String], limits: IncomingLimits
    ) throws(SystemError) -> WorkerThread {
        let (settings, supervision, logger, isSite) = (settings, supervision, logger, role == .site)
        return try WorkerThread {
            let machine = SystemMachine(
                settings.health, certificateFile: settings.broker.certificateFile, supervision, isSite: isSite)
            let link = BrokerLink(
                settings: settings.broker, clientID: Publisher.clientID(dispatcher.composer.topics), limits: limits,
                liveFilter: settings.receiver?.topic)
            let sink = BrokerSink(
                settings.broker, dispatcher, link: link, radio: radio, clock: machine, filters: filters,
                limits: limits, seed: .random(in: .min ... .max), logger: logger)
            Round(engine, dispatcher, to: sink, by: machine, .live(machine), radio: radio, logger: logger).run()
        }
    }
}
