import Agent
import Core
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// The delivery loop as a service: it ends after all others.
struct DeliveryService: Service {
    let worker: WorkerThread
    /// Makes the loop end after it has delivered everything.
    let finish: @Sendable () -> Void

    func run() async throws {
        // Cancelling stops it as well: either way the queue goes out first.
        try? await gracefulShutdown()
        finish()
        worker.join()
    }
}

/// The radio loop as a service. It stops first, so that its last outputs are still delivered.
///
/// The loop starts here and not earlier, because signals are caught by now: a SIGTERM just after the start of scanning
/// ends it in order.
struct RadioService: Service {
    let loop: RadioLoop
    let owner: GatewayOwner

    func run() async throws {
        try loop.start(owner: owner)
        try? await gracefulShutdown()
        loop.stop()
    }
}

/// The connection to the broker of a receiver as a service.
struct ReceiverService: Service {
    let connection: ReceiverConnection

    func run() async throws {
        try? await gracefulShutdown()
        connection.end()
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
    /// Creates a service that the group names by its type.
    ///
    /// Without a name, the group prints the whole service as its name. The radio's service holds the engine: with
    /// 10,000 regions that took six seconds of a start, and 30 MiB.
    init(_ service: any Service, whenItReturns behavior: TerminationBehavior) {
        self.init(service: service, successTerminationBehavior: behavior, serviceName: "\(type(of: service))")
    }
}

/// Writes the recent events to a file on SIGUSR1, while the radio loop goes on.
struct CaptureService: Service {
    /// `nil` where no events are kept. The signal is caught anyway, because by default it ends the process.
    let settings: CaptureSettings?
    let recent: RecentEvents?
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sigusr1).cancelOnGracefulShutdown() {
            guard let settings, let recent else {
                logger.warning("capture: SIGUSR1 came, but nothing is kept; set capture.enabled = true")
                continue
            }
            do throws(FileError) {
                let written = try CaptureFolder(settings: settings).dump(recent)
                logger.notice("capture: \(written)")
            } catch {
                logger.error("capture: \(error)")
            }
        }
    }
}

/// A configuration and the files that it names. Two are equal where a start with either does the same.
struct ConfigurationVersion: Equatable {
    let settings: Settings
    private let credentials: [FileStamp?]

    /// Examines the files as they are now.
    init(_ settings: Settings) {
        self.settings = settings
        let broker = settings.broker
        credentials = [broker.passwordFile, broker.caFile, broker.certificateFile, broker.keyFile].map(FileStamp.init)
    }
}
