import RealModule

/// The radio path from one actor to the gateway: what remains of past shadowing and fading.
///
/// Both are first-order autoregressive: how much of the last value is kept depends on how far the actor moved and how
/// long ago that was, so packets close together fade together whatever the advertising interval is.
struct RadioLink: Sendable {
    private var random: RandomStream
    private var shadowing_db: Double
    /// The scattered part of the signal on channels 37, 38 and 39, in phase and quadrature.
    private var scatter: [(i: Double, q: Double)]
    private var last: (at: Instant, position: FloorPoint)

    /// Begins with independent draws from the steady distribution.
    init(actor: Actor, propagation: Propagation, random: RandomStream) {
        self.random = random
        self.shadowing_db = self.random.normal() * propagation.shadowing_db
        self.scatter = []
        self.last = (actor.path.start, actor.path.position(at: actor.path.start))
        for _ in 0..<3 { scatter.append((self.random.normal(), self.random.normal())) }
    }

    /// The next random delay on top of the advertising interval: 0 to 10 ms (Core 5.4, Vol 6, Part B, 4.4.2.2).
    mutating func advertisingDelay() -> TimeSpan {
        TimeSpan(microseconds: Int64(random.uniform(0..<10_000)))
    }

    /// How long a host takes to advertise again under a new address, where it has to stop for that: up to half a second.
    mutating func restart() -> TimeSpan {
        TimeSpan(microseconds: Int64(random.uniform(0..<500_000)))
    }

    /// What `scanner` makes of a packet that `actor` sends at `instant`: an RSSI, or `nil` where it hears nothing.
    mutating func receive(
        from actor: Actor, at instant: Instant, gateway: FloorPoint, rooms: Rooms?, propagation: Propagation,
        scanner: Scanner
    ) -> Int8? {
        guard let channel = scanner.channel(at: instant) else { return nil }
        let position = actor.path.position(at: instant)
        advance(to: instant, position: position, carried: actor.kind == .phone, propagation: propagation)

        var rssi_dbm = Double(actor.measuredPower_dbm)
        // Closer than 10 cm the far-field formula no longer holds; antennas never touch either.
        rssi_dbm -= 10 * propagation.pathLossExponent * Double.log10(max(0.1, position.distance_m(to: gateway)))
        rssi_dbm += shadowing_db + fading_db(on: channel, ricianK: propagation.ricianK)
        if actor.kind == .phone {
            rssi_dbm -=
                propagation.bodyLoss_db * bodyShare(of: actor.path, at: instant, position: position, gateway: gateway)
        }
        if let rooms { rssi_dbm -= rooms.loss_db(from: position, to: gateway) }
        if actor.pocketed.contains(where: { $0.contains(instant) }) { rssi_dbm -= propagation.pocketLoss_db }
        rssi_dbm += random.normal() * propagation.receiverNoise_db
        guard random.chance(scanner.reception(rssi_dbm: rssi_dbm)) else { return nil }
        return Int8(min(20, max(-126, rssi_dbm.rounded())))
    }

    private mutating func advance(to instant: Instant, position: FloorPoint, carried: Bool, propagation: Propagation) {
        let seconds = (instant - last.at).seconds
        let moved_m = last.position.distance_m(to: position) + (carried ? propagation.sway_m_s * seconds : 0)
        let age = seconds / propagation.environmentCoherence_s
        last = (instant, position)

        let shadowingKept = Double.exp(-moved_m / propagation.shadowingDecorrelation_m - age)
        shadowing_db *= shadowingKept
        shadowing_db += (1 - shadowingKept * shadowingKept).squareRoot() * random.normal() * propagation.shadowing_db

        let fadingKept = Double.exp(-moved_m / propagation.fadingDecorrelation_m - age)
        let fresh = (1 - fadingKept * fadingKept).squareRoot()
        for channel in scatter.indices {
            scatter[channel].i = fadingKept * scatter[channel].i + fresh * random.normal()
            scatter[channel].q = fadingKept * scatter[channel].q + fresh * random.normal()
        }
    }

    /// Power of a steady part plus the scattered part, relative to their mean, in dB.
    private func fading_db(on channel: Int, ricianK: Double) -> Double {
        let steady = (2 * ricianK).squareRoot()
        let i = steady + scatter[channel].i
        let q = scatter[channel].q
        return 10 * Double.log10(max(1e-6, (i * i + q * q) / (2 * (1 + ricianK))))
    }

    /// 0 while the carrier faces the gateway, 1 with the body in between, a half sideways or before the first step.
    private func bodyShare(of path: ActorPath, at instant: Instant, position: FloorPoint, gateway: FloorPoint) -> Double
    {
        let heading = path.heading(at: instant)
        let distance_m = max(0.1, position.distance_m(to: gateway))
        let facing =
            (heading.x * (gateway.x_m - position.x_m) + heading.y * (gateway.y_m - position.y_m)) / distance_m
        return (1 - max(-1, min(1, facing))) / 2
    }
}
