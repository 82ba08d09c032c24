import Configuration
import Gateway
import HCI
import Logging
import Messages
import Outbox
import Radio
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
struct RadioService: Service {
    let loop: RadioLoop

    func run() async throws {
        try? await gracefulShutdown()
        loop.stop()
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
