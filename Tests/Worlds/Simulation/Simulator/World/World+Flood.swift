@testable import Core

/// Recovery: once a flood of made-up beacons is over, a real visit is told, without a restart.
extension World {
    /// How long the flood lasts: it makes up 50 identities in a second, and more of them than a minute admits.
    private static let flood = TimeSpan.seconds(5)
    /// The longest time from the end of a flood to a visit: a beacon that is refused has its turn within three minutes.
    private static let recovery = TimeSpan.seconds(180)

    /// Makes up 250 beacons of the shop's own regions, and then has one real beacon come in. One shop in fifty does: a flood takes
    /// longer than the rest of the seed.
    ///
    /// From here on the witness does not judge: it knows nothing of beacons that are made up.
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
        func isTold() -> Bool {
            broker.retained[topic].flatMap { try? StatePayload(decoding: $0) }?.state == .inside
        }
        pass(until: now + Self.recovery, or: isTold)
        check { () throws(Violation) in
            if !isTold() {
                throw Violation(
                    invariant: .recovers,
                    detail: "a flood is over for \(Self.recovery.seconds) s, and a visit is not told")
            }
        }
    }
}
