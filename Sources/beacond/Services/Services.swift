import Agent
import Core
import Logging
import ServiceLifecycle

/// The delivery loop as a service: it ends when the queue is finished, after everything else.
struct DeliveryService: Service {
    let worker: WorkerThread
    let queue: DeliveryQueue

    func run() async throws {
        // Cancelled is stopped: either way what is queued goes out first.
        try? await gracefulShutdown()
        queue.finish()
        worker.join()
    }
}

/// The radio loop as a service. It is stopped first, so that what it told last is still delivered.
///
/// It is started here and not before, because signals are looked after by now: a SIGTERM that comes as soon as the agent
/// scans ends it in order.
struct RadioService: Service {
    let loop: RadioLoop
    let owner: GatewayOwner

    func run() async throws {
        try loop.start(owner: owner)
        try? await gracefulShutdown()
        loop.stop()
    }
}

/// gpsd's client as a service.
struct LocationService: Service {
    let client: GPSDClient

    func run() async throws {
        try client.start()
        try? await gracefulShutdown()
        client.stop()
    }
}

/// The advertisement as a service: it is off the air before the agent ends.
struct AdvertisingService: Service {
    let loop: AdvertisingLoop

    func run() async throws {
        try? await gracefulShutdown()
        loop.stop()
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service that the group calls by its type.
    ///
    /// Left to itself, the group names a service by all that it holds, written out. The radio's holds the engine: with 10,000
    /// regions that was six seconds of a start, and 30 MiB, before anything was heard.
    init(_ service: any Service, whenItReturns behavior: TerminationBehavior) {
        self.init(service: service, successTerminationBehavior: behavior, serviceName: "\(type(of: service))")
    }
}
