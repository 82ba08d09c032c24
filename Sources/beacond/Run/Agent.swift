import Configuration
import Gateway
import HCI
import Logging
import Messages
import Outbox
import Radio
import ServiceLifecycle
import UnixSignals

/// The daemon: radio loop, queue, delivery loop, started and stopped together.
struct Agent {
    let settings: Settings
    let logger: Logger

    /// What keeps the agent from starting.
    enum Problem: Error, CustomStringConvertible {
        case outbox(OutboxError)
        case radio(RadioError)
        case system(FileError)

        var description: String {
            switch self {
            case .outbox(let error): "\(error)"
            case .radio(let error): "\(error)"
            case .system(let error): "\(error)"
            }
        }
    }

    /// Works until SIGTERM or SIGINT.
    func run() async throws {
        let services = try start()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                // The last is stopped first.
                services: services.map { .init(service: $0, successTerminationBehavior: .ignore) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    private func start() throws(Problem) -> [any Service] {
        let (now, timebase, bootID) = (SystemClock.now, SystemClock.timebase, SystemClock.bootID)
        let outbox = try openOutbox(at: now, timebase)
        let stored = StoredState(outbox, timebase, bootID: bootID)
        var outputs: [GatewayOutput] = []
        let engine = GatewayEngine(
            settings, restoring: stored.regions.map(\.record), radioSees: false, at: now, outputs: &outputs)
        let composer = MessageComposer(settings, pseudonymKey: stored.pseudonymKey)
        let dispatcher = Dispatcher(composer, outbox: outbox, stored: stored.regions, bootID: bootID)
        do throws(RadioError) {
            let queue = try DeliveryQueue()
            let loop = try RadioLoop(settings: settings.radio, logger: logger)
            let worker = try startDelivery(dispatcher, queue)
            try loop.start(owner: GatewayOwner(engine: engine, outputs: outputs, queue: queue))
            return [DeliveryService(worker: worker, queue: queue), RadioService(loop: loop)]
        } catch {
            throw .radio(error)
        }
    }

    private func openOutbox(at now: Instant, _ timebase: Timebase) throws(Problem) -> Outbox {
        let limits = OutboxLimits(maxEvents: settings.outbox.maxEvents, maxMiB: settings.outbox.max_MiB)
        do throws(OutboxError) {
            let outbox = try Outbox(
                directory: settings.gateway.stateDirectory, limits: limits, at: now, wallTime: timebase.wall(now))
            for report in outbox.takeReports() { logger.warning("\(report)") }
            return outbox
        } catch {
            throw .outbox(error)
        }
    }

    private func startDelivery(
        _ dispatcher: sending Dispatcher, _ queue: DeliveryQueue
    ) throws(RadioError) -> WorkerThread {
        let (settings, logger) = (settings, logger)
        return try WorkerThread {
            let loop = DeliveryLoop(
                settings: settings, queue: queue, dispatcher: dispatcher,
                mayAdminister: ProcessCapabilities.current().mayAdminister, logger: logger)
            loop.run()
        }
    }
}
