/// The outputs of the engine, in the order of their causes.
package enum GatewayOutput: Hashable, Sendable {
    /// A region's state changed. The record is stored; `nil` while there is nothing to restore.
    case transition(RegionTransition, record: RegionRecord?)
    /// The records of the open stays to store, every `StaySchedule.interval`.
    case stays([RegionRecord])
    /// A value that becomes messages of one kind, with the records that belong to them.
    case message(Announcement, at: Instant)
    case ranging(RangingReport)
    /// The radio is in another condition from that time on.
    case radio(CoveredRadio, at: Instant)
    case failure(RegionMonitoringFailure, at: Instant)
    case notice(RegionMonitoringNotice, at: Instant)
    /// A request registered a region, which has to outlive the process.
    case registered(RegionDefinition, region: String, at: Instant)
    /// An exit without a state. It ends the open stay of an instance that is not monitored any more, or it is late: a
    /// store told a later visit before.
    case exit(RegionInstanceID, RegionEvent, at: Instant)
    /// A request ended the monitoring of a region with these instances.
    case unregistered(region: String, instances: [RegionInstanceID], at: Instant)
    /// An expanded region has settled, which has to outlive the process; `nil` for one that is not monitored any more.
    case settled(BeaconRegion?, region: String, at: Instant)
    /// These instances are not monitored any more. Others of their region may be.
    case forgotten([RegionInstanceID], at: Instant)
    case answer(Answer)
    /// An update of the gateway's place by a location service.
    case location(PlacedFix, of: LocationSettings.Service, at: Instant)
    /// A deferred fix, which has to outlive the process until its batch is told.
    case kept(Fix)
    /// The batch of deferred fixes.
    case track(TrackBatch, at: Instant)
    /// The availability of the place.
    case locationStatus(LocationStatus, at: Instant)
}

extension GatewayOutput {
    package var handling: OutputHandling {
        switch self {
        case .transition: OutputHandling(shedding: .reduced(from: OutputHandling.Shedding.lateLimit), commit: .soon)
        // They are stored again in a minute.
        case .stays: OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .eventually)
        case .message(let announcement, _): announcement.content.handling
        case .ranging: .ofRanging
        case .radio, .registered, .settled, .exit, .unregistered, .forgotten: .ofEvents
        // A batch contains all fixes that were kept for it.
        case .kept: OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .soon)
        case .track, .locationStatus: .ofEvents
        // A failure is for the log, a client repeats a request, and the gateway is elsewhere by then.
        case .failure, .notice, .answer, .location:
            OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .never)
        }
    }

    /// Makes the output of a value that becomes messages.
    package static func message(_ content: some MessageContent, at instant: Instant) -> GatewayOutput {
        .message(Announcement(content), at: instant)
    }

    /// Returns the value that becomes messages, where it is one of that type.
    package func content<Content: MessageContent>(_ type: Content.Type = Content.self) -> Content? {
        if case .message(let announcement, _) = self { announcement.content as? Content } else { nil }
    }
}
