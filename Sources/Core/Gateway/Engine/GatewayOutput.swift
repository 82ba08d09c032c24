/// What the engine has to tell, in the order in which it happened.
package enum GatewayOutput: Hashable, Sendable {
    /// A region's state changed, and what to store of it; `nil` while there is nothing to go on from.
    case transition(RegionTransition, record: RegionRecord?)
    /// What to store of the regions that are inside, every `StaySchedule.interval`.
    case stays([RegionRecord])
    case ranging(RangingReport)
    /// The same of a store, whose beacons its gateways have listed.
    case listed(ListedBeacons, at: Instant)
    /// The radio is in another condition from that time on.
    case radio(CoveredRadio, at: Instant)
    case failure(RegionMonitoringFailure, at: Instant)
    case notice(RegionMonitoringNotice, at: Instant)
    /// A request registered a region, which is to outlive the process.
    case registered(RegionDefinition, region: String, at: Instant)
    /// Somebody is inside an instance that is monitored no more: the exit that ends that stay.
    case ended(RegionInstanceID, RegionEvent, at: Instant)
    /// A request ended the monitoring of a region, and these were its instances.
    case unregistered(region: String, instances: [RegionInstanceID], at: Instant)
    /// Nobody monitors these instances any more, though others of their region may be.
    case forgotten([RegionInstanceID], at: Instant)
    /// Entries that were held back in a minute that is over.
    case surge(EntryBudget.Surge, at: Instant)
    case answer(Answer)
    /// Where the gateway is, as a service tells it.
    case location(PlacedFix, of: LocationSettings.Service, at: Instant)
    /// A fix that is told with others later, and has to outlive the process until then.
    case kept(Fix)
    /// The fixes that were kept.
    case track(TrackBatch, at: Instant)
    /// What can be said of the place.
    case locationStatus(LocationStatus, at: Instant)
    /// A store's day has changed.
    case today(TodayNews, at: Instant)
}

/// How an output is handled on its way to the broker, whatever it says: all that the queue between the loops and the commit group
/// know of it.
package struct OutputHandling: Hashable, Sendable {
    /// What becomes of it where so many outputs wait that there is no room for it.
    package enum Shedding: Hashable, Sendable {
        /// There is always room: there are as few of them as there are requests, or changes of the radio.
        case never
        /// From so many waiting outputs on it is left out: it comes again by itself.
        case silent(from: Int)
        /// The same, counted in `health`.
        case counted(from: Int)
        /// From so many on only its last state is kept. Its event is lost, and a gap says so.
        case reduced(from: Int)

        /// Ranging is by far the most of what there is.
        static let earlyLimit = 4_096
        /// The disk has hung for long while thousands of regions changed.
        static let lateLimit = 262_144
    }

    /// Whether it belongs on the disk.
    package enum Commit: Hashable, Sendable {
        case never
        /// Shared with what comes at the same time; see `CommitGroup`.
        case soon
        /// Nobody waits for it: it looks for a while for another output to share its transaction.
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
        case .radio, .registered, .ended, .unregistered, .forgotten, .surge:
            OutputHandling(shedding: .never, commit: .soon)
        // A batch has all that was kept for it.
        case .kept: OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .soon)
        case .track, .locationStatus: OutputHandling(shedding: .never, commit: .soon)
        // Where it only says for how long the store has heard, no reader waits for it.
        case .today(let news, _):
            OutputHandling(shedding: .never, commit: news.report == nil && news.records.count < 2 ? .eventually : .soon)
        // A failure is for the log, a request is asked again, and the gateway is somewhere else by then.
        case .failure, .notice, .answer, .location:
            OutputHandling(shedding: .silent(from: OutputHandling.Shedding.lateLimit), commit: .never)
        }
    }
}
