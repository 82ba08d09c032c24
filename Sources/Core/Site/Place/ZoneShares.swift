/// How likely a beacon is in each zone, in little memory: a store has 10,000 beacons and up to 64 zones.
///
/// A beacon is heard in some zones, and all that was never heard of it elsewhere is the same for each of the others, to the last bit. So one number
/// stands for all of those.
struct ZoneShares: Sendable {
    private var common = 0.0
    /// Those of the zones in `others`, in the order of the zones.
    private var different: [Double] = []
    /// The zones that have a share of their own, one bit each.
    private var others: UInt64 = 0
    private var zoneCount: UInt8 = 0

    /// By the numbers of the zones; empty before anything was weighed. Of 64 zones at most, which a store has.
    package var all: [Double] {
        get {
            var shares = [Double](repeating: common, count: Int(zoneCount))
            var bits = others
            for share in different {
                shares[bits.trailingZeroBitCount] = share
                bits &= bits - 1
            }
            return shares
        }
        set {
            assert(newValue.count <= 64, "a store has no more gateways")
            zoneCount = UInt8(newValue.count)
            common = Self.mostFrequent(newValue)
            others = 0
            for (zone, share) in newValue.enumerated() where share != common { others |= 1 << UInt64(zone) }
            // No more room than they need, and the same room where they are as many as before.
            if different.count != others.nonzeroBitCount {
                different = []
                different.reserveCapacity(others.nonzeroBitCount)
            } else {
                different.removeAll(keepingCapacity: true)
            }
            for share in newValue where share != common { different.append(share) }
        }
    }

    var isEmpty: Bool { zoneCount == 0 }

    /// The share that more than half of them have, where there is one; else any (Boyer and Moore's vote).
    private static func mostFrequent(_ shares: [Double]) -> Double {
        var (candidate, votes) = (0.0, 0)
        for share in shares {
            if votes == 0 { candidate = share }
            votes += share == candidate ? 1 : -1
        }
        return candidate
    }
}
