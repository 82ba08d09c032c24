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

/// How a signal weakens between a transmitter and the gateway.
///
/// The defaults are fitted to open recordings (*rooms* and *danis*; `StoreSimulatorTests` holds them to these figures):
///
/// - *danis*: a walking beacon, true distances, twelve receivers. About the fit of RSSI against log distance, with each
///   receiver's own offset taken out, readings scatter by 5.5 dB; two of them 0.45 s apart correlate by 0.34, 3 s by
///   0.19, 8 s by 0.07, 20 s by 0.02. So two thirds of the variance are fast fading (4.6 dB), and the rest is shadowing
///   and the body, which 5 m of walking forget.
/// - *rooms*: beacons at rest beside gateways. The one-second means wander by 0.2 to 1 dB, but within a second the
///   three advertising channels stand up to 6 dB apart: fading is frozen while nothing moves, and its own on every
///   channel. The receiver's noise is what is left, 0.6 to 0.9 dB including rounding to whole dBm.
package struct Propagation: Hashable, Sendable {
    /// Loss grows by 10 × this per decade of distance.
    var pathLossExponent = 2.0
    /// Standard deviation of the slow part, in dB: furniture, shelves, walls.
    var shadowing_db = 3.5
    /// Walking this far leaves 1/e of the correlation of shadowing.
    var shadowingDecorrelation_m = 5.0
    /// Power of the steady part of the signal over that of the scattered part (Rician K, linear; 0 is Rayleigh).
    var ricianK = 1.0
    /// Moving this far leaves 1/e of the correlation of fading: about half the wavelength of 12.5 cm.
    var fadingDecorrelation_m = 0.06
    /// Other people's movement does the same to shadowing and fading in this time, even where the transmitter rests.
    var environmentCoherence_s = 300.0
    /// A hand that stands still moves this fast.
    var sway_m_s = 0.02
    /// Loss with the carrier's body exactly in between; nothing while facing the gateway.
    var bodyLoss_db = 5.0
    /// Loss while the phone is in a pocket or a bag: phones there read 10 to 15 dB low.
    var pocketLoss_db = 12.0
    /// The receiver's own error, in dB (standard deviation), before it rounds to whole dBm.
    var receiverNoise_db = 0.7

    package init() {}
}

/// The gateway's receiver: when it listens, on which channel, and what it misses.
///
/// A scanner listens for `window` at the beginning of every `interval`, on the next of the advertising channels 37, 38
/// and 39 each time (Core 5.4, Vol 6, Part B, 4.4.3.1). An advertiser sends on all three within a few milliseconds.
///
/// *rooms* (a scanner that listens all the time): of strong signals 79 to 91 % arrive, at −80 dBm about 70 %, at −85
/// dBm 35 to 65 %, at −90 dBm 40 %, and none below −98 dBm. Hence `collisionLoss` and the sigmoid of `sensitivity_dbm`.
package struct Scanner: Hashable, Sendable {
    package var interval = TimeSpan.milliseconds(60)
    var window = TimeSpan.milliseconds(30)
    /// Share of packets that are lost whatever their strength, to others on the same channel.
    var collisionLoss = 0.13
    /// Half of the packets of this strength are lost to noise.
    var sensitivity_dbm = -88.0
    /// How soft that edge is: at `sensitivity_dbm` ± twice this, 12 % or 88 % come through.
    var sensitivitySlope_db = 3.0
    /// Nothing weaker is ever received: the recordings end at −98 and −102 dBm, a sigmoid doesn't.
    var floor_dbm = -102.0

    init() {}

    /// The index (0 … 2) of the channel it listens on at `instant`; `nil` while it pauses.
    func channel(at instant: Instant) -> Int? {
        let length = max(1, interval.microseconds)
        let (turn, phase) = instant.microseconds.quotientAndRemainder(dividingBy: length)
        return phase < window.microseconds ? Int(turn % 3) : nil
    }

    /// The probability that a packet of this strength on the channel it listens to is received.
    func reception(rssi_dbm: Double) -> Double {
        guard rssi_dbm >= floor_dbm else { return 0 }
        return (1 - collisionLoss) / (1 + Double.exp((sensitivity_dbm - rssi_dbm) / sensitivitySlope_db))
    }
}
