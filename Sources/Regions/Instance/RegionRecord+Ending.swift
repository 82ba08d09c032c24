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
        guard case .inside(let stay) = moved(notAfter: now).occupancy, stay.notifiesOnExit else { return nil }
        let ended = RegionStay(
            enteredAt: min(stay.enteredAt, stay.lastHeardAt), lastHeardAt: stay.lastHeardAt, beginning: stay.beginning,
            ending: .unmonitored)
        switch (kind, stay.keeper) {
        case (.beacon(of: let constraint?), .beacon(let keeper)):
            return RegionEvent(.exit(ended), by: keeper.exitCause(uuid: constraint.uuid))
        case (.beacon(of: nil), .beacon):
            return nil
        }
    }
}
