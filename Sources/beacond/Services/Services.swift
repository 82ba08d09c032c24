import Agent
import Core
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// The delivery loop as a service: it ends after everything else.
struct DeliveryService: Service {
    let worker: WorkerThread
    /// Has the loop end once it has delivered what there is.
    let finish: @Sendable () -> Void

    func run() async throws {
        // Cancelled is stopped: either way what is queued goes out first.
        try? await gracefulShutdown()
        finish()
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

/// Writes the recent events to a file on SIGUSR1. The radio loop goes on meanwhile.
struct CaptureService: Service {
    /// `nil` where no events are kept; the signal is taken all the same, because its default is to end the process.
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

/// What tells one version of a file from another without reading it: a key need not be kept in memory to be compared.
struct FileStamp: Hashable {
    private let device: dev_t
    private let inode: ino_t
    private let size_bytes: off_t
    private let modified_s: Int
    private let modified_ns: Int

    /// `nil` where there is no such file, or none that may be looked at.
    init?(path: String) {
        var information = stat()
        guard !path.isEmpty, stat(path, &information) == 0 else { return nil }
        device = information.st_dev
        inode = information.st_ino
        size_bytes = information.st_size
        modified_s = information.st_mtim.tv_sec
        modified_ns = information.st_mtim.tv_nsec
    }
}

/// A configuration and the files that it names: equal to another where a start with either does the same.
struct ConfigurationVersion: Equatable {
    let settings: Settings
    private let credentials: [FileStamp?]

    /// Looks at the files as they are now.
    init(_ settings: Settings) {
        var settings = settings
        // The name of a key changes nothing.
        settings.renamedKeys = []
        self.settings = settings
        let broker = settings.broker
        credentials = [broker.passwordFile, broker.caFile, broker.certificateFile, broker.keyFile].map(FileStamp.init)
    }
}
