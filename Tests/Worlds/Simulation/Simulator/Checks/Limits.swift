@testable import Agent
@testable import Core
@testable import TestDisk

/// The limits of all tables, whatever the air, the disk and the broker do.
enum Limits {
    /// The span in which commands are counted, and their most in it: a slow controller must not be slowed further.
    static let commandSpan = TimeSpan.seconds(10)
    private static let mostCommands = 30

    static func check(commands: Int) throws(Violation) {
        if commands > mostCommands {
            throw Violation(
                invariant: .limits, detail: "the controller got \(commands) commands in \(commandSpan.seconds) s")
        }
    }

    static func check(_ figures: GatewayFigures, _ settings: GatewaySettings) throws(Violation) {
        if figures.listedTracks > settings.tracker.maxTransmitters {
            throw Violation(invariant: .limits, detail: "\(figures.listedTracks) tracks are listed")
        }
        // A circle is one region with one instance, which max_regions limits.
        let circles = settings.regions.configured.count { !$0.kind.isLimitedByInstances }
        if figures.instances - circles > settings.regions.limits.maxInstances {
            throw Violation(invariant: .limits, detail: "there are \(figures.instances) region instances")
        }
    }

    /// Delivery agrees with itself, within its window.
    static func check(_ sink: any MessageSink) throws(Violation) {
        guard let broken = (sink as? BrokerSink)?.checkInvariants().first else { return }
        throw Violation(invariant: .structure, detail: broken)
    }

    /// - Parameter others: the number of numbered spans of coverage and batches of fixes, which have no limit of their
    /// own.
    static func check(_ outbox: Outbox, _ disk: SimulatedDisk, others: Int64) throws(Violation) {
        let health = outbox.health
        // While the disk fails, as many events may wait in memory as in the file.
        let most = Int64(outbox.disk.limits.maxEvents) * (outbox.isDurable ? 1 : 2) + others
        if health.queuedEvents > most || health.eventsInMemory > Int64(outbox.disk.limits.maxEvents) + others {
            let detail = "\(health.queuedEvents) events are queued, \(health.eventsInMemory) of them in memory"
            throw Violation(invariant: .limits, detail: detail)
        }
        if let broken = outbox.checkInvariants().first { throw Violation(invariant: .limits, detail: broken) }
        if Int64(disk.size) > outbox.disk.limits.maxBytes {
            throw Violation(invariant: .limits, detail: "the state folder takes \(disk.size) bytes")
        }
    }
}
