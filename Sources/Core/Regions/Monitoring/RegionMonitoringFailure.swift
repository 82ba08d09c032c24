/// A registration or a newcomer that a limit refused. Core Location's `monitoringDidFailFor`.
package struct RegionMonitoringFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        case tooManyRegions(limit: Int)
        case tooManyInstances(limit: Int)
        /// More new instances of expanded regions came within a minute than there may be.
        case tooManyNewcomers(limit: Int)
        /// A beacon of the region is not tracked; the region itself is monitored.
        case tooManyTransmitters(limit: Int)
    }

    var region: String
    var cause: Cause

    init(region: String, cause: Cause) {
        self.region = region
        self.cause = cause
    }

    package var description: String {
        switch cause {
        case .tooManyRegions(let limit):
            "regionMonitoringFailure: region \"\(region)\" is not monitored: there are \(limit) already; "
                + "raise regions.max_regions"
        case .tooManyInstances(let limit):
            "regionMonitoringFailure: region \"\(region)\" gets no further instance: there are \(limit) already; "
                + "raise regions.max_instances"
        case .tooManyNewcomers(let limit):
            "regionMonitoringFailure: entries into region \"\(region)\" are held back: more than \(limit) new instances "
                + "within a minute; if these are real beacons, raise regions.max_newcomers_per_minute"
        case .tooManyTransmitters(let limit):
            "regionMonitoringFailure: a beacon of region \"\(region)\" is not tracked: there are \(limit) already; "
                + "raise radio.max_transmitters"
        }
    }
}
