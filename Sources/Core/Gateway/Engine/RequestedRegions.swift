/// The regions that requests have registered.
struct RequestedRegions: Sendable {
    /// By id.
    private var monitored: [String: MonitoredRegion] = [:]
    /// Those that an earlier process had registered and a limit refuses now. They may be asked for again, or stopped.
    private var refused: Set<String> = []

    /// Whether the region is to be registered.
    ///
    /// - Returns: `false` where it is registered already: a broker may deliver a request twice.
    /// - Throws: `regionExists` where another region has its id.
    func admits(_ region: MonitoredRegion) throws(RequestError) -> Bool {
        guard let known = monitored[region.id] else { return true }
        guard known == region else { throw .regionExists(region.id) }
        return false
    }

    mutating func registered(_ region: MonitoredRegion) {
        monitored[region.id] = region
        refused.remove(region.id)
    }

    mutating func refused(_ region: MonitoredRegion) { refused.insert(region.id) }

    /// The monitoring of a region ends.
    ///
    /// - Throws: `unknownRegion` where no request has registered it.
    mutating func remove(_ region: String) throws(RequestError) {
        let wasMonitored = monitored.removeValue(forKey: region) != nil
        guard refused.remove(region) != nil || wasMonitored else { throw .unknownRegion(region) }
    }
}
