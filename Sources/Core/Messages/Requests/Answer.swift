/// What became of a request.
package struct Answer: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
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

    package var address: ReplyAddress
    package var at: Instant
    package var result: Result

    package init(address: ReplyAddress, at: Instant, result: Result) {
        self.address = address
        self.at = at
        self.result = result
    }
}
