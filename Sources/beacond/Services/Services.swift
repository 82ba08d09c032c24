import Agent
import Core
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// A part of the agent as a service: it begins, works on threads of its own, and ends when the group ends or is cancelled.
struct PartService: Service {
    /// The name in the group's log.
    let name: String
    /// The beginning. Signals are caught by then: a SIGTERM just after it ends the part in order.
    var start: @Sendable () throws -> Void = {}
    let stop: @Sendable () -> Void

    func run() async throws {
        try start()
        try? await gracefulShutdown()
        stop()
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// Creates a service that the group names by its type.
    ///
    /// Without a name, the group prints the whole service as its name. The radio's service holds the engine: with
    /// 10,000 regions that took six seconds of a start, and 30 MiB.
    init(_ service: any Service, whenItReturns behavior: TerminationBehavior) {
        self.init(
            service: service, successTerminationBehavior: behavior,
            serviceName: (service as? PartService)?.name ?? "\(type(of: service))")
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
