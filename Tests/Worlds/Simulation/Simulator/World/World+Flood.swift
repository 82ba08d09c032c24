@testable import Core

/// Recovery: after a flood of made-up beacons, a real visit is published without a restart.
extension World {
    /// The length of the flood: it makes up 50 identities a second, more than a minute admits.
    private static let flood = TimeSpan.seconds(5)
    /// The longest time from the end of a flood to a visit: a refused beacon has its turn within three minutes.
    private static let recovery = TimeSpan.seconds(180)

    /// Makes up 250 beacons of the shop's own regions, and then lets one real beacon come in. One shop in fifty does
    /// that, because a flood takes longer than the rest of the seed.
    ///
    /// From here on the witness does not judge, because it does not know made-up beacons.
    func surviveFlood() {
        guard violation == nil, scenario.seed % 50 == 0, scenario.van == nil, let life, life.kernel.isListening else {
            return
        }
        isFlooded = true
        agenda.add(.advertising(device: shop.addFlood(from: now, lasting: Self.flood)), at: now)
        pass(until: now + Self.flood) { false }
        let visitor = shop.addVisitor(from: now, lasting: Self.recovery)
        agenda.add(.advertising(device: visitor), at: now)
        let cart = RegionInstanceID(region: "cart", .minor(major: Shop.visitor.major, minor: Shop.visitor.minor))
        let topic = topics.state(cart)
        func isPublished() -> Bool {
            broker.retained[topic].flatMap { try? StatePayload(decoding: $0) }?.state == .inside
        }
        pass(until: now + Self.recovery, or: isPublished)
        check { () throws(Violation) in
            if !isPublished() {
                throw Violation(
                    invariant: .recovers,
                    detail: "a flood is over for \(Self.recovery.seconds) s, and a visit is not published")
            }
        }
    }
}
