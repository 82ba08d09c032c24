import HeapModule

/// The packets that the gateway's controller hears in a scenario.
///
/// Packets are made on demand, so a capture of days needs no more memory than an hour's. Equal scenarios and seeds give
/// equal packets. Adding or removing an actor does not change the packets of the others.
///
///     var simulation = StoreSimulation(scenario: .firstRun(seed: 1, duration: .seconds(60)), seed: 1)
///     while let packet = simulation.next() { … }
package struct StoreSimulation: Sendable {
    /// One packet as the controller reports it.
    package struct Packet: Hashable, Sendable {
        /// The time since the scenario began.
        package var at: Instant
        package var report: AdvertisingReport
        package var data: [UInt8]
        /// The index of the sender in `StoreScenario.actors`.
        var actor: Int
    }

    /// One advertising event to come. Two at one instant come in the order of their actors.
    private struct Turn: Comparable, Sendable {
        var at: Instant
        var actor: Int

        static func < (left: Turn, right: Turn) -> Bool { (left.at, left.actor) < (right.at, right.actor) }
    }

    let scenario: StoreScenario
    package let seed: UInt64
    private let end: Instant
    private var turns: Heap<Turn>
    /// The links of the actors that have begun to advertise and not ended.
    private var links: [Int: RadioLink] = [:]
    /// The index of the scan gap that has not ended.
    private var scanGap = 0

    /// Makes a simulation. `seed` decides fading, loss and delays; the scenario decides the actors.
    package init(scenario: StoreScenario, seed: UInt64) {
        self.scenario = scenario
        self.seed = seed
        self.end = .origin + scenario.duration
        self.turns = Heap(scenario.actors.indices.map { Turn(at: scenario.actors[$0].path.start, actor: $0) })
    }

    /// Returns the next packet that is received, in the order of time; `nil` once the scenario has ended.
    package mutating func next() -> Packet? {
        while let turn = turns.popMin() {
            let actor = scenario.actors[turn.actor]
            guard turn.at < actor.path.end, turn.at < end else {
                links[turn.actor] = nil
                continue
            }
            if let packet = advertise(actor, in: turn) { return packet }
        }
        return nil
    }

    /// Returns whether the gateway is deaf. Times come in order, so the gaps are scanned once.
    private mutating func isDeaf(at instant: Instant) -> Bool {
        while scanGap < scenario.scanGaps.count, scenario.scanGaps[scanGap].upperBound <= instant { scanGap += 1 }
        return scanGap < scenario.scanGaps.count && scenario.scanGaps[scanGap].contains(instant)
    }

    /// Returns the next event: after the interval, unless advertising restarts for a rotation before.
    private func following(_ turn: Turn, _ interval: TimeSpan, of actor: Actor, _ link: inout RadioLink) -> Instant {
        let next = turn.at + interval
        guard actor.restartsAtRotation, let span = actor.addresses.first(where: { $0.until > turn.at }),
            span.until <= next, span.until < actor.path.end
        else { return next }
        return span.until + link.restart()
    }

    private mutating func advertise(_ actor: Actor, in turn: Turn) -> Packet? {
        guard var link = links.removeValue(forKey: turn.actor) else {
            // The first event comes anywhere in the first interval: devices are not switched on together.
            let random = RandomStream(seed: seed, index: turn.actor)
            var phase = RandomStream(seed: ~seed, index: turn.actor)
            links[turn.actor] = RadioLink(actor: actor, propagation: scenario.propagation, random: random)
            turns.insert(Turn(at: turn.at + .seconds(actor.interval.seconds * phase.unit()), actor: turn.actor))
            return nil
        }
        let interval = max(actor.interval, .milliseconds(20))
        turns.insert(Turn(at: following(turn, interval + link.advertisingDelay(), of: actor, &link), actor: turn.actor))
        let rssi_dbm = link.receive(
            from: actor, at: turn.at, gateway: scenario.gateway, rooms: scenario.rooms,
            propagation: scenario.propagation, scanner: scenario.scanner)
        links[turn.actor] = link
        guard !isDeaf(at: turn.at), let rssi_dbm, let address = actor.address(at: turn.at) else { return nil }
        let report = AdvertisingReport(isExtended: false, eventType: 0x00, address: address, rssi_dbm: rssi_dbm)
        return Packet(at: turn.at, report: report, data: actor.data(at: turn.at), actor: turn.actor)
    }
}
