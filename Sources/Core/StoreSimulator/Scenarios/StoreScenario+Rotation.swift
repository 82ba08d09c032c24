import RealModule

extension StoreScenario {
    /// Phones that rotate their addresses far more often than real ones, so that an hour shows many rotations.
    package struct RotationCrowd: Hashable, Sendable {
        /// The number of phones at a time.
        package var phones = 2
        /// True if all of them have one identity (UUID, major and minor), or each its own.
        package var sharesIdentity = true
        /// True if each leaves after some minutes and another one comes.
        var comesAndGoes = true
        /// True if they are put into pockets and taken out again.
        var hasPockets = true
        /// True if the gateway is deaf now and then, as one whose Wi-Fi shares the antenna.
        var hasScanGaps = true

        package init() {}

        /// The average time for which an address is used: at least a minute, and long enough that all phones together
        /// rotate every 18 s. Fifty phones with a quarter of an hour each rotate at that rate.
        var addressLife_s: Double { max(60, 18 * Double(phones)) }
    }

    /// Returns a shop of 12 m by 15 m in which phones are carried about, pocketed, and rotate at random.
    ///
    /// Half of the phones pause advertising to change the address; the others continue without a pause.
    package static func rotation(seed: UInt64, duration: TimeSpan, crowd: RotationCrowd = RotationCrowd())
        -> StoreScenario
    {
        var random = RandomStream(seed: seed)
        var actors: [Actor] = []
        for _ in 0..<max(0, crowd.phones) {
            var at = Instant.origin + .seconds(random.uniform(0..<10))
            while at < .origin + duration {
                let stay_s = crowd.comesAndGoes ? 120 + random.exponential(mean: 480) : duration.seconds
                let minor = crowd.sharesIdentity ? 0 : actors.count % 60_000
                let actor = rotatingPhone(minor, at: at, for: .seconds(stay_s), crowd, random: &random)
                actors.append(actor)
                at = actor.path.end + .seconds(random.uniform(2..<60))
            }
        }
        var scenario = StoreScenario(
            name: "rotation", duration: duration, gateway: FloorPoint(x_m: 0, y_m: 7), actors: actors)
        if crowd.hasScanGaps { scenario.scanGaps = scanGaps(for: duration, random: &random) }
        return scenario
    }

    private static func rotatingPhone(
        _ minor: Int, at start: Instant, for span: TimeSpan, _ crowd: RotationCrowd, random: inout RandomStream
    ) -> Actor {
        func place() -> FloorPoint { FloorPoint(x_m: random.uniform(-6..<6), y_m: random.uniform(0..<15)) }
        var path = ActorPath(from: place(), at: start)
        while path.end < start + span {
            path.walk(to: place(), speed_m_s: random.uniform(0.6..<1.4))
            path.stay(.seconds(random.exponential(mean: 30)))
        }
        var rotations: [Instant] = []
        var next = start + .seconds(random.uniform(0.1..<1) * crowd.addressLife_s)
        while next < path.end {
            rotations.append(next)
            next += .seconds(random.uniform(0.5..<1.5) * crowd.addressLife_s)
        }
        let identity = BeaconIdentity(uuid: storeUUID, major: phoneMajor, minor: UInt16(truncatingIfNeeded: minor))
        var phone = Actor(
            beacon: identity, kind: .phone, interval: .milliseconds(100), path: path,
            addresses: AddressSpan.rotating(for: path, at: rotations, random: &random))
        phone.restartsAtRotation = random.chance(0.5)
        if crowd.hasPockets { phone.pocketed = pockets(within: path, random: &random) }
        return phone
    }

    /// Returns the times in the pocket. Times in hand and in the pocket alternate, a minute and a half each on average.
    private static func pockets(within path: ActorPath, random: inout RandomStream) -> [Range<Instant>] {
        var pockets: [Range<Instant>] = []
        var at = path.start + .seconds(random.exponential(mean: 90))
        while at < path.end {
            let out = at + .seconds(1 + random.exponential(mean: 90))
            pockets.append(at..<out)
            at = out + .seconds(1 + random.exponential(mean: 90))
        }
        return pockets
    }

    /// Returns scan gaps every 20 to 60 s, of half a second to six.
    private static func scanGaps(for duration: TimeSpan, random: inout RandomStream) -> [Range<Instant>] {
        var gaps: [Range<Instant>] = []
        var at = Instant.origin + .seconds(random.uniform(20..<60))
        while at < .origin + duration {
            let end = at + .seconds(random.uniform(0.5..<6))
            gaps.append(at..<end)
            at = end + .seconds(random.uniform(20..<60))
        }
        return gaps
    }
}
