/// The outputs of the engine, in the order of their causes.
package enum GatewayOutput: Hashable, Sendable {
    /// A region's state changed. The record is stored; `nil` while there is nothing to restore.
    case transition(RegionTransition, record: RegionRecord?)
    /// The records of the open stays to store, every `StaySchedule.interval`.
    case stays([RegionRecord])
    case ranging(RangingReport)
    /// The ranging of a store, whose gateways have listed the beacons.
    case listed(ListedBeacons, at: Instant)
    /// The radio is in another condition from that time on.
    case radio(CoveredRadio, at: Instant)
    case failure(RegionMonitoringFailure, at: Instant)
    case notice(RegionMonitoringNotice, at: Instant)
    /// A request registered a region, which has to outlive the process.
    case registered(RegionDefinition, region: String, at: Instant)
    /// An instance with an open stay is not monitored any more. The event is the exit that ends the stay.
    case ended(RegionInstanceID, RegionEvent, at: Instant)
    /// A visit of a store became known after a later one was told. Its exit changes no state.
    case lateVisit(RegionInstanceID, RegionEvent, at: Instant)
    /// A request ended the monitoring of a region with these instances.
    case unregistered(region: String, instances: [RegionInstanceID], at: Instant)
    /// An expanded region has settled, which has to outlive the process; `nil` for one that is not monitored any more.
    case settled(BeaconRegion?, region: String, at: Instant)
    /// These instances are not monitored any more. Others of their region may be.
    case forgotten([RegionInstanceID], at: Instant)
    /// Entries that were held back in a minute that has ended.
    case surge(EntryBudget.Surge, at: Instant)
    /// A sheet of a store's heat map, of an hour that has ended or until the process ends.
    case heat(HeatSheet, at: Instant)
    /// The list of beacons, in the order of their identities.
    case beacons([HeardBeacon], at: Instant)
    case answer(Answer)
    /// An update of the gateway's place by a location service.
    case location(PlacedFix, of: LocationSettings.Service, at: Instant)
    /// A deferred fix, which has to outlive the process until its batch is told.
    case kept(Fix)
    /// The batch of deferred fixes.
    case track(TrackBatch, at: Instant)
    /// The availability of the place.
    case locationStatus(LocationStatus, at: Instant)
    /// A store's day has changed.
    case today(TodayNews, at: Instant)
    /// The outcome of settings that an operator has published, with the digest of the settings in effect.
    case settings(SettingsReport, digest: String, at: Instant)
}

/// The handling of an output on its way to the broker. The queue between the loops and the commit group needs to know
/// no more about an output.
package struct OutputHandling: Hashable, Sendable {
    /// The treatment of the output when the queue is full.
    package enum Shedding: Hashable, Sendable {
        /// The queue always takes it: such outputs are as rare as requests, or changes of the radio.
        case never
        /// The queue drops it beyond so many waiting outputs. It comes again by itself.
        case silent(from: Int)
        /// The queue drops it beyond so many waiting outputs, and `health` counts it.
        case counted(from: Int)
        /// Beyond so many waiting outputs, the queue keeps only the last state. Its event is lost, and a gap tells so.
        case reduced(from: Int)

        /// The limit for ranging, which is by far the most frequent output.
        static let earlyLimit = 4_096
        /// The limit for all others, reached when the disk hangs for long while thousands of regions change.
        static let lateLimit = 262_144
    }

    /// Whether the output is committed to the disk.
    package enum Commit: Hashable, Sendable {
        case never
        /// In the next transaction; see `CommitGroup`.
        case soon
        /// In a later transaction, which it shares with another output: no client waits for it.
        case eventually
    }

    package var shedding: Shedding
    package var commit: Commit
}

extension GatewayOutput {
    package var handling: OutputHandling {
        switch self {
        case .transition: OutputHandling(shedding: .reduced(from: OutputHandling.Shedding.lateLimit), commit: .soon)
        // They are stored again in a minute.
        case .stays: OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .eventually)
        case .ranging, .listed:
            OutputHandling(shedding: .counted(from: OutputHandling.Shedding.earlyLimit), commit: .never)
        case .radio, .registered, .settled, .ended, .lateVisit, .unregistered, .forgotten, .surge, .heat:
            OutputHandling(shedding: .never, commit: .soon)
        // A batch contains all fixes that were kept for it.
        case .kept: OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .soon)
        // No reader waits for the list.
        case .beacons: OutputHandling(shedding: .never, commit: .eventually)
        case .track, .locationStatus, .settings: OutputHandling(shedding: .never, commit: .soon)
        // No reader waits for a report that only tells for how long the store has heard.
        case .today(let news, _):
            OutputHandling(shedding: .never, commit: news.report == nil && news.records.count < 2 ? .eventually : .soon)
        // A failure is for the log, a client repeats a request, and the gateway is elsewhere by then.
        case .failure, .notice, .answer, .location:
            OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .never)
        }
    }
}
