import Core
import Logging
import Synchronization

/// Receives requests on the delivery loop. Well-formed requests go to the engine; the others are refused here.
package struct RequestHandler {
    private var gate: RequestGate
    private let queue: RequestQueue

    /// - Parameter integrations: answers must not go to their topics.
    package init(topics: TopicTree, integrations: Integrations?, queue: RequestQueue) {
        gate = RequestGate(topics: topics, sparing: Integrations.trees(of: integrations))
        self.queue = queue
    }

    /// The number of requests that were dropped because there were too many.
    var floodCount: UInt64 { gate.floodCount }

    /// Handles the broker's messages, and returns the refusals to publish.
    mutating func receive(_ messages: [IncomingMessage], at now: Instant) -> [Answer] {
        messages.compactMap { message in
            var decision = gate.admit(message, at: now)
            if case .carryOut(let request, let address) = decision {
                if queue.push(.request(request, address)) { return nil }
                decision = gate.refuseFlood(address, at: now)
            }
            guard case .refuse(let error, let address) = decision else { return nil }
            return Answer(address: address, at: now, result: .refused(error))
        }
    }
}

/// The bounded queue from the delivery loop to the radio loop, against the direction of all other data.
package final class RequestQueue: Sendable {
    package enum Entry: Sendable {
        case request(Request, ReplyAddress)
        /// The store counts its people until then.
        case storeCounts(until: Instant)
    }

    /// More entries than this wait only where the radio loop hangs.
    package static let limit = 32

    private let entries = Mutex<[Entry]>([])
    private let wake: @Sendable () -> Void

    /// - Parameter wake: makes the radio loop look for entries soon; called from the delivery loop.
    package init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Returns `false` where too many wait already.
    func push(_ entry: Entry) -> Bool {
        let isTaken = entries.withLock { entries in
            guard entries.count < Self.limit else { return false }
            entries.append(entry)
            return true
        }
        if isTaken { wake() }
        return isTaken
    }

    package func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries.removeAll(keepingCapacity: true) }
            return entries
        }
    }
}

extension RegionSettings {
    /// The regions that requests registered in an earlier process.
    func requested(by definitions: [RegionDefinition], logger: Logger) -> [MonitoredRegion] {
        var regions: [MonitoredRegion] = []
        for definition in definitions {
            do throws(ConfigurationErrors) {
                regions.append(try region(definition))
            } catch {
                logger.warning("a region that a request had registered is left out: \(error)")
            }
        }
        return regions
    }
}
