import Beacons
public import HCI

/// The rule of ending: a stay that nobody watches any more is over for subscribers too, or their visit stays open for ever.
extension RegionRecord {
    /// The exit that ends the stay under way where the region is monitored no more. It is no crossing, so nothing is inferred:
    /// the stay is told as long as it was watched.
    ///
    /// - Parameter now: a clock that was set back before a boot may have left times that are still to come. The stay then moves as
    ///   a whole.
    /// - Returns: `nil` where nobody is inside or nobody wants to know of exits, and for a record of a version that did not store
    ///   which beacons it is about.
    public func unmonitoredExit(at now: Instant) -> RegionEvent? {
        guard isInside, notifiesOnExit, let constraint else { return nil }
        let watched = moved(notAfter: now)
        let stay = RegionStay(
            enteredAt: min(watched.since, watched.lastHeardAt), lastHeardAt: watched.lastHeardAt, isPartial: isPartial,
            isInferred: false, isUnmonitored: true)
        return RegionEvent(
            kind: .exit(stay), uuid: constraint.uuid, major: major, minor: minor,
            observation: .undetermined(rssi_dbm: rssi_dbm))
    }
}

extension RegionMonitor {
    /// What is known of the instances of a region, in the order of their slots.
    public func records(of region: String) -> [RegionRecord] {
        states.indices.filter { states[$0].id.region == region && status(of: $0) != nil }.compactMap { record(of: $0) }
    }
}
