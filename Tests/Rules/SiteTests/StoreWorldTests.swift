import Testing

@testable import Core

/// A small random world of one store. Beacons come and go, gateways hear them, go offline and blind, and have wrong
/// clocks. The line loses lists and delivers late. One seed gives one world.
private struct StoreWorld {
    struct Gateway {
        var isOnline = true
        var isScanning = true
        var isSynced = true
        /// While its line is down its messages wait.
        var waiting: [(told_s: Double, say: (inout Store, Double) -> Void)]?
        /// The beacons that it has inside.
        var inside: Set<Int> = []
    }

    static let names = ["a", "b", "c"]
    static let beacons = 1...4

    private var seed: UInt64
    var store: Store
    var gateways = [Gateway](repeating: Gateway(), count: 3)
    /// The delivered state of each gateway and beacon: whether it has it inside.
    var delivered: [[Int: Bool]] = [[:], [:], [:]]
    var t_s = 1.0

    init(seed: UInt64) throws {
        self.seed = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        store = try Store("[site]\nleave_after_s = 3")
    }

    mutating func below(_ count: Int) -> Int {
        seed ^= seed << 13
        seed ^= seed >> 7
        seed ^= seed << 17
        return Int(truncatingIfNeeded: seed >> 33) % count
    }

    /// Does a random event.
    mutating func step() {
        t_s += Double(below(40)) / 10
        let number = below(3)
        let name = Self.names[number]
        switch below(10) {
        case 0:
            gateways[number].isScanning.toggle()
            status(number)
        case 1:
            // The broker tells the line's end at once, and the rest waits.
            gateways[number].isOnline.toggle()
            if gateways[number].isOnline {
                let waiting = gateways[number].waiting ?? []
                gateways[number].waiting = nil
                status(number)
                for (_, say) in waiting { say(&store, t_s) }
                tellStates(number)
            } else {
                gateways[number].waiting = []
                status(number)
            }
        case 2: gateways[number].isSynced.toggle()
        case 3...6 where gateways[number].isScanning: cross(number, Self.beacons.lowerBound + below(4))
        default:
            guard gateways[number].isOnline, below(3) > 0 else { return }
            for beacon in gateways[number].inside.sorted() {
                store.list(name, [beacon: -50 - Double(below(35))], "carts/1/\(beacon)", at: t_s)
            }
        }
    }

    private mutating func status(_ number: Int) {
        let gateway = gateways[number]
        store.status(
            Self.names[number], online: gateway.isOnline, radio: gateway.isScanning ? "scanning" : "off", at: t_s)
    }

    private mutating func cross(_ number: Int, _ beacon: Int) {
        let (name, told_s, isSynced) = (Self.names[number], t_s, gateways[number].isSynced)
        let isEntry = gateways[number].inside.insert(beacon).inserted
        if !isEntry { gateways[number].inside.remove(beacon) }
        let say = { (store: inout Store, at_s: Double) in
            if isEntry {
                store.enter(name, "carts/1/\(beacon)", minor: beacon, told_s: told_s, isSynced: isSynced, at: at_s)
            } else {
                store.exit(
                    name, "carts/1/\(beacon)", minor: beacon, entered_s: told_s - 5, heard_s: told_s - 1,
                    told_s: told_s,
                    isSynced: isSynced, at: at_s)
            }
        }
        guard gateways[number].waiting == nil else {
            gateways[number].waiting?.append((told_s, say))
            return
        }
        say(&store, t_s)
        delivered[number][beacon] = isEntry
    }

    /// The messages of a gateway that is back: its present states.
    private mutating func tellStates(_ number: Int) {
        for beacon in Self.beacons {
            let isInside = gateways[number].inside.contains(beacon)
            guard isInside || delivered[number][beacon] != nil else { continue }
            store.state(Self.names[number], isInside ? "inside" : "outside", "carts/1/\(beacon)", at: t_s)
            delivered[number][beacon] = isInside
        }
    }

    /// Returns whether a gateway that can hear, as far as was delivered, has the beacon inside.
    func isHeard(_ beacon: Int) -> Bool {
        gateways.indices.contains {
            gateways[$0].isOnline && gateways[$0].isScanning && delivered[$0][beacon] == true
        }
    }
}

@Suite("With any gateways, lines and clocks, a store tells nothing impossible")
struct StoreWorldTests {
    @Test("Nothing enters twice, zones exclude each other, and a beacon that a gateway hears stays", arguments: 1...20)
    func invariants(seed: Int) throws {
        var world = try StoreWorld(seed: UInt64(seed))
        var published = 0
        var isInside: [RegionInstanceID: Bool] = [:]
        var states: [RegionInstanceID: RegionState] = [:]
        for _ in 0..<400 {
            // Due work comes before the step's deliveries.
            let heard = Set(StoreWorld.beacons.filter { [world] in world.isHeard($0) })
            world.step()
            world.store.advance(to: world.t_s)
            for output in world.store.outputs.dropFirst(published) {
                guard case .transition(let transition, _) = output else { continue }
                let id = transition.instance
                if let event = transition.event {
                    // A state without an event may have come between, so an exit may follow an exit.
                    let isEntry = event.kind == .enter
                    #expect(!(isEntry && isInside[id] == true), "\(id) entered twice at \(world.t_s) s")
                    isInside[id] = isEntry
                }
                states[id] = transition.state
            }
            published = world.store.outputs.count
            for beacon in StoreWorld.beacons {
                let region = RegionInstanceID(region: "carts", .minor(major: 1, minor: UInt16(beacon)))
                // The beacon may have left and come back meanwhile. An entry dated in the past waits for later news,
                // and an old one for news of other gateways.
                let regions = world.store.engine.presence.regions
                let waits = regions.slot(of: region).map { slot in
                    if case .deferred = regions[slot].reevaluation { true } else { regions[slot].next.heldSince != nil }
                }
                let isHeard = heard.contains(beacon) && world.isHeard(beacon) && waits != true
                #expect(
                    !isHeard || states[region] != .outside, "\(region) left by \(world.t_s) s, and a gateway hears it")
                let zones = StoreWorld.names.filter { states[region.inZone($0)] == .inside }
                #expect(zones.count <= 1, "beacon \(beacon) is in \(zones) at \(world.t_s) s")
                #expect(
                    zones.isEmpty || states[region] == .inside, "\(region) is not inside at \(world.t_s) s, its zone is"
                )
            }
        }
    }
}
