/// Answers requests. An answer is correct as of its instant.
extension GatewayEngine {
    /// Answers a request at `instant`. Earlier due work comes first, and the request's effects come before its answer.
    package mutating func answer(
        _ request: Request, to address: ReplyAddress, at instant: Instant, outputs: inout [GatewayOutput]
    ) {
        advance(through: instant, outputs: &outputs)
        let result: Answer.Result
        do throws(RequestError) {
            switch request {
            case .state(let request): result = try states(request)
            case .range(let region, let discriminator):
                result = .ranging(try rangingList(region, discriminator))
            case .monitor(let definition): result = try beginMonitoring(definition, outputs: &outputs)
            case .stop(let region): result = try stopMonitoring(region, outputs: &outputs)
            case .location(let timeout): return try locate(for: address, timeout: timeout, outputs: &outputs)
            }
        } catch {
            result = .refused(error)
        }
        outputs.append(.message(Answer(address: address, at: now, result: result), at: now))
    }

    private func states(_ request: StateRequest) throws(RequestError) -> Answer.Result {
        if let region = request.region {
            guard let monitored = monitor.instances.region(region) else { throw .unknownRegion(region) }
            if monitored.isOfPeople { throw .ofPeople(region) }
        }
        // A value of an expanded region that was never heard has no state: the list is empty.
        let (page, next) = monitor.instances.statuses(from: request.start, limit: request.limit) { instance in
            (request.region.map { $0 == instance.region } ?? true)
                && (request.major.map { $0 == instance.major } ?? true)
                && (request.minor.map { $0 == instance.minor } ?? true)
        }
        return .states(page, next: next)
    }

    /// Returns the beacons in range of an instance, whether or not it is ranged or inside.
    private mutating func rangingList(
        _ name: String, _ discriminator: RegionInstanceID.Discriminator?
    ) throws(RequestError) -> RangingReport {
        guard let monitored = monitor.instances.region(name) else { throw .unknownRegion(name) }
        guard case .beacon(let region) = monitored else { throw .notOfBeacons(name, monitored.kind) }
        if region.isOfPeople { throw .ofPeople(name) }
        guard let discriminator, region.expansion.makes(discriminator) else { throw .wrongInstance(region) }
        let id = RegionInstanceID(region: name, discriminator)
        guard let slot = monitor.instances.slotOrPending(of: id) else {
            return RangingReport(instance: id, at: now, count: 0, beacons: [])
        }
        return rangingReport(slot, at: now)
    }

    private mutating func beginMonitoring(
        _ definition: RegionDefinition, outputs: inout [GatewayOutput]
    ) throws(RequestError) -> Answer.Result {
        if let id = definition.id, isConfigured(id) { throw .configuredRegion(id) }
        let region: MonitoredRegion
        do throws(ConfigurationErrors) {
            region = try settings.regions.region(definition)
        } catch {
            throw RequestError(.invalidRegion, error.errors.map(\.description).joined(separator: "; "))
        }
        guard try requestedRegions.admits(region) else { return .monitoring(region: region.id) }
        do throws(RegionMonitoringFailure) {
            try registerRequested(region)
        } catch {
            throw RequestError(.regionMonitoringFailure, error.description)
        }
        outputs.append(.registered(definition, region: region.id, at: now))
        if region.kind.hasBeacons { meetTrackedBeacons() }
        takeTransitions(&outputs)
        takeFailures(&outputs)
        return .monitoring(region: region.id)
    }

    /// Registers the region of a request, wholly or not at all.
    mutating func registerRequested(
        _ region: MonitoredRegion, hasSettled: Bool = false
    ) throws(RegionMonitoringFailure) {
        do throws(RegionMonitoringFailure) {
            try register(region, hasSettled: hasSettled)
        } catch {
            // The region may be registered although its instance was refused.
            _ = monitor.unregister(region.id)
            throw error
        }
        requestedRegions.registered(region)
    }

    private mutating func stopMonitoring(
        _ region: String, outputs: inout [GatewayOutput]
    ) throws(RequestError) -> Answer.Result {
        if isConfigured(region) { throw .configuredRegion(region) }
        try requestedRegions.remove(region)
        for record in monitor.instances.records(of: region) {
            guard var exit = record.unmonitoredExit(at: now) else { continue }
            exit.location = location
            outputs.append(.exit(record.instance, exit, at: now))
        }
        let (freed, ended) = monitor.unregister(region)
        for slot in freed {
            ranger.stop(slot)
            restoredPatience.end(slot)
            membership.end(slot)
        }
        meetTrackedBeacons()
        takeTransitions(&outputs)
        takeFailures(&outputs)
        outputs.append(.unregistered(region: region, instances: ended, at: now))
        return .stopped(region: region, instances: ended.count)
    }

    private func isConfigured(_ region: String) -> Bool { settings.regions.configured.contains { $0.id == region } }
}
