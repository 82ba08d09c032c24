import Agent
import Core
import Logging
import ServiceLifecycle
import UnixSignals

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
