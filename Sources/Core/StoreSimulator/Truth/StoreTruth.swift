/// What really happened in a scenario, to hold against what the agent makes of its packets.
package struct StoreTruth: Hashable, Sendable {
    /// One iBeacon. Devices that are none are left out.
    struct Beacon: Hashable, Sendable {
        /// Index in `StoreScenario.actors`, as packets name it.
        var actor: Int
        var kind: Actor.Kind
        var identity: BeaconIdentity
        var measuredPower_dbm: Int8
        /// Begins and ends to advertise: at the door for visitors.
        var enteredAt: Instant
        var leftAt: Instant
        /// One after the other without a gap, from `enteredAt` to `leftAt`.
        var addresses: [AddressSpan]
        /// True distance to the gateway at `enteredAt` and every second from then on until `leftAt`.
        ///
        /// Made when asked for: of three days of a phone that never leaves that is a quarter of a million numbers.
        var distances_m: some Sequence<Double> { seconds.lazy.map { distance_m(second: $0) } }

        var path: ActorPath
        package var gateway: FloorPoint
        var rooms: Rooms?

        /// Seconds since `enteredAt` that `distances_m` stands for.
        package var seconds: Range<Int64> { 0..<max(0, (leftAt - enteredAt).microseconds + 999_999) / 1_000_000 }

        func distance_m(second: Int64) -> Double {
            path.position(at: enteredAt + .seconds(1) * second).distance_m(to: gateway)
        }

        /// The room that it is in; `nil` where the shop has no rooms.
        func room(second: Int64) -> Int? {
            rooms?.room(at: path.position(at: enteredAt + .seconds(1) * second))
        }
    }

    var scenario: String
    var duration: TimeSpan
    package var gateway: FloorPoint
    /// Where the shop has several: the gateway of each stands in the middle of it.
    var rooms: Rooms?
    /// In the order of `StoreScenario.actors`.
    var beacons: [Beacon]
}

extension StoreScenario {
    /// The ground truth. What outlasts the scenario is cut off at its end.
    package var truth: StoreTruth {
        let end = Instant.origin + duration
        var beacons: [StoreTruth.Beacon] = []
        for (index, actor) in actors.enumerated() {
            guard let identity = actor.identity, actor.path.start < end else { continue }
            let addresses = actor.addresses.filter { $0.from < end }.map {
                AddressSpan(address: $0.address, from: $0.from, until: min($0.until, end))
            }
            beacons.append(
                StoreTruth.Beacon(
                    actor: index, kind: actor.kind, identity: identity, measuredPower_dbm: actor.measuredPower_dbm,
                    enteredAt: actor.path.start, leftAt: min(actor.path.end, end), addresses: addresses,
                    path: actor.path, gateway: gateway, rooms: rooms))
        }
        return StoreTruth(scenario: name, duration: duration, gateway: gateway, rooms: rooms, beacons: beacons)
    }
}
