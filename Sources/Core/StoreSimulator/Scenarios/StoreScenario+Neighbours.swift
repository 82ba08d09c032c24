extension StoreScenario {
    /// Devices that are in every shop's air and none of its business, for the whole time: one of four an iBeacon of
    /// somebody else's (static address), the others no iBeacons at all (addresses that rotate).
    static func neighbours(
        around gateway: FloorPoint, duration: TimeSpan, count: Int, random: inout RandomStream
    ) -> [Actor] {
        (0..<max(0, count)).map { number in
            let place = FloorPoint(
                x_m: gateway.x_m + random.uniform(-14..<14), y_m: gateway.y_m + random.uniform(-14..<14))
            var path = ActorPath(from: place, at: .origin)
            path.stay(duration)
            guard number % 4 == 0 else {
                return Actor(
                    other: AdvertisingPayload.other(random: &random), power_dbm: -62,
                    interval: .seconds(random.uniform(0.15..<1.2)), path: path,
                    addresses: AddressSpan.rotatingEveryQuarterHour(for: path, random: &random))
            }
            let identity = BeaconIdentity(
                uuid: foreignUUID, major: 0, minor: UInt16(truncatingIfNeeded: number / 4))
            return Actor(
                beacon: identity, kind: .shelf, interval: .milliseconds(700), path: path,
                addresses: AddressSpan.fixed(for: path, random: &random))
        }
    }
}
