import RealModule

/// The radio path from one actor to the gateway: the state of shadowing and fading.
///
/// Both are first-order autoregressive. The distance moved and the elapsed time decide how much of the last value
/// remains. So packets close together fade together, whatever the advertising interval is.
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

    /// Returns the random delay added to the advertising interval: 0 to 10 ms (Core 5.4, Vol 6, Part B, 4.4.2.2).
    mutating func advertisingDelay() -> TimeSpan { TimeSpan(microseconds: Int64(random.uniform(0..<10_000))) }

    /// Returns the pause, up to half a second, of a host that has to stop advertising to change its address.
    mutating func restart() -> TimeSpan { TimeSpan(microseconds: Int64(random.uniform(0..<500_000))) }

    /// Returns the RSSI at `scanner` of a packet that `actor` sends at `instant`; `nil` where it is not received.
    mutating func receive(
        from actor: Actor, at instant: Instant, gateway: FloorPoint, rooms: Rooms?, propagation: Propagation,
        scanner: Scanner
    ) -> Int8? {
        guard let channel = scanner.channel(at: instant) else { return nil }
        let position = actor.path.position(at: instant)
        advance(to: instant, position: position, carried: actor.kind == .phone, propagation: propagation)

        var rssi_dbm = Double(actor.measuredPower_dbm)
        // Closer than 10 cm the far-field formula does not hold; antennas never touch either.
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

    /// Returns the power of the steady and the scattered part, relative to their mean, in dB.
    private func fading_db(on channel: Int, ricianK: Double) -> Double {
        let steady = (2 * ricianK).squareRoot()
        let i = steady + scatter[channel].i
        let q = scatter[channel].q
        return 10 * Double.log10(max(1e-6, (i * i + q * q) / (2 * (1 + ricianK))))
    }

    /// Returns 0 while the carrier faces the gateway, 1 with the body in between, and a half sideways or before the
    /// first step.
    private func bodyShare(of path: ActorPath, at instant: Instant, position: FloorPoint, gateway: FloorPoint) -> Double
    {
        let heading = path.heading(at: instant)
        let distance_m = max(0.1, position.distance_m(to: gateway))
        let facing =
            (heading.x * (gateway.x_m - position.x_m) + heading.y * (gateway.y_m - position.y_m)) / distance_m
        return (1 - max(-1, min(1, facing))) / 2
    }
}

/// The weakening of a signal between a transmitter and the gateway.
///
/// The defaults are fitted to open recordings, *rooms* and *danis*. `StoreSimulatorTests` compares them with these
/// figures:
///
/// - *danis*: a walking beacon, true distances, twelve receivers. The fit is of RSSI against log distance, without each
///   receiver's own offset. Readings scatter about it by 5.5 dB. Two of them 0.45 s apart correlate by 0.34, 3 s by
///   0.19, 8 s by 0.07, 20 s by 0.02. So two thirds of the variance are fast fading (4.6 dB). The rest is shadowing and
///   the body, which lose their correlation in 5 m of walking.
/// - *rooms*: beacons at rest beside gateways. The one-second means wander by 0.2 to 1 dB. Within a second the three
///   advertising channels differ by up to 6 dB: fading is frozen while nothing moves, and differs on every channel. The
///   rest is the receiver's noise, 0.6 to 0.9 dB including rounding to whole dBm.
struct Propagation: Hashable, Sendable {
    /// The loss per decade of distance, divided by 10 dB.
    var pathLossExponent = 2.0
    /// Standard deviation of the slow part, in dB: furniture, shelves, walls.
    var shadowing_db = 3.5
    /// The walk after which the correlation of shadowing is 1/e.
    var shadowingDecorrelation_m = 5.0
    /// The power of the steady part of the signal over that of the scattered part (Rician K, linear; 0 is Rayleigh).
    var ricianK = 1.0
    /// The movement after which the correlation of fading is 1/e: about half the wavelength of 12.5 cm.
    var fadingDecorrelation_m = 0.06
    /// The time after which the correlation is 1/e because other people move, even where the transmitter rests.
    var environmentCoherence_s = 300.0
    /// The speed of a hand that stands still.
    var sway_m_s = 0.02
    /// The loss with the carrier's body exactly in between; none while facing the gateway.
    var bodyLoss_db = 5.0
    /// The loss while the phone is in a pocket or a bag: phones there read 10 to 15 dB low.
    var pocketLoss_db = 12.0
    /// The receiver's own error, in dB (standard deviation), before it rounds to whole dBm.
    var receiverNoise_db = 0.7

    init() {}
}

/// The gateway's receiver: its listening times, channels and losses.
///
/// A scanner listens for `window` at the beginning of every `interval`. Each time it takes the next of the advertising
/// channels 37, 38 and 39 (Core 5.4, Vol 6, Part B, 4.4.3.1). An advertiser sends on all three within a few
/// milliseconds.
///
/// *rooms* (a scanner that listens all the time): of strong signals 79 to 91 % arrive, at −80 dBm about 70 %, at −85
/// dBm 35 to 65 %, at −90 dBm 40 %. None arrives below −98 dBm. Hence `collisionLoss` and the sigmoid of
/// `sensitivity_dbm`.
struct Scanner: Hashable, Sendable {
    var interval = TimeSpan.milliseconds(60)
    var window = TimeSpan.milliseconds(30)
    /// The share of packets lost to collisions on the channel, at any strength.
    var collisionLoss = 0.13
    /// The strength at which half of the packets are lost to noise.
    var sensitivity_dbm = -88.0
    /// The width of that edge: at `sensitivity_dbm` ± twice this, 12 % or 88 % are received.
    var sensitivitySlope_db = 3.0
    /// The strength below which no packet is received. The recordings end at −98 and −102 dBm; a sigmoid does not end.
    var floor_dbm = -102.0

    init() {}

    /// Returns the index (0 … 2) of the channel at `instant`; `nil` while the scanner pauses.
    func channel(at instant: Instant) -> Int? {
        let length = max(1, interval.microseconds)
        let (turn, phase) = instant.microseconds.quotientAndRemainder(dividingBy: length)
        return phase < window.microseconds ? Int(turn % 3) : nil
    }

    /// Returns the probability that a packet of this strength on the scanner's channel is received.
    func reception(rssi_dbm: Double) -> Double {
        guard rssi_dbm >= floor_dbm else { return 0 }
        return (1 - collisionLoss) / (1 + Double.exp((sensitivity_dbm - rssi_dbm) / sensitivitySlope_db))
    }
}
