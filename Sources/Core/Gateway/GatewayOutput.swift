/// The outputs of the engine, in the order of their causes.
package enum GatewayOutput: Hashable, Sendable {
    /// A region's state changed. The record is stored; `nil` while there is nothing to restore.
    case transition(RegionTransition, record: RegionRecord?)
    /// The records of the open stays to store, every `StaySchedule.interval`.
    case stays([RegionRecord])
    /// A value that becomes messages of one kind, with the records that belong to them.
    case message(Announcement, at: Instant)
    /// The radio is in another condition from that time on.
    case radio(CoveredRadio, at: Instant)
    case failure(RegionMonitoringFailure, at: Instant)
    case notice(RegionMonitoringNotice, at: Instant)
    /// A request registered a region, which has to outlive the process.
    case registered(RegionDefinition, region: String, at: Instant)
    /// An exit without a state. It ends the open stay of an instance that is not monitored any more, or it is late: a
    /// store published a later visit before.
    case exit(RegionInstanceID, RegionEvent, at: Instant)
    /// A request ended the monitoring of a region with these instances.
    case unregistered(region: String, instances: [RegionInstanceID], at: Instant)
    /// An expanded region has settled, which has to outlive the process; `nil` for one that is not monitored any more.
    case settled(BeaconRegion?, region: String, at: Instant)
    /// These instances are not monitored any more. Others of their region may be.
    case forgotten([RegionInstanceID], at: Instant)
    /// The availability of the place, a part of the status.
    case locationStatus(LocationStatus, at: Instant)
}

extension GatewayOutput {
    package var handling: OutputHandling {
        switch self {
        case .transition: OutputHandling(shedding: .reduced(from: OutputHandling.Shedding.lateLimit), commit: .soon)
        // They are stored again in a minute.
        case .stays: OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .eventually)
        case .message(let announcement, _): announcement.content.handling
        case .radio, .registered, .settled, .exit, .unregistered, .forgotten, .locationStatus: .ofEvents
        // For the log.
        case .failure, .notice: .ofPresent
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
