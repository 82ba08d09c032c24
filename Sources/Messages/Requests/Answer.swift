public import HCI
public import Location
public import Regions

/// What became of a request.
public struct Answer: Hashable, Sendable {
    public enum Result: Hashable, Sendable {
        /// States that were asked for, and where the next page begins, if there is one.
        case states([RegionStatus], next: Int?)
        case ranging(RangingReport)
        /// A region is monitored from now on, or was already, just so.
        case monitoring(region: String)
        /// A region is monitored no more; so many instances went with it.
        case stopped(region: String, instances: Int)
        /// Where the gateway is.
        case location(PlacedFix)
        case refused(RequestError)
    }

    public var address: ReplyAddress
    public var at: Instant
    public var result: Result

    public init(address: ReplyAddress, at: Instant, result: Result) {
        self.address = address
        self.at = at
        self.result = result
    }
}
