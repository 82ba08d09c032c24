@testable import Core
@testable import TestDisk

/// A fault in a store, from one instant to another, on one of its machines or at the broker.
struct StoreFault {
    enum Kind {
        /// The process is killed now, or at one of its next operations on the disk.
        case kill(afterOperations: Int?)
        case powerCut(afterOperations: Int?)
        case restart(boots: Bool)
        /// A gateway is replaced by a machine with an empty disk: its numbers begin anew.
        case replaced
        case disk(SimulatedDisk.Trouble)
        case flakyDisk(oneIn: Int)
        /// The connection is cut. Waiting messages come late: by then the broker has published the will.
        case line(SimulatedNetwork.Cut)
        case slowLine(TimeSpan)
        case brokerHangsUp
        /// A gateway's adapter goes away.
        case blind
        /// The wall clock of a gateway is wrong by this span.
        case clockOff(TimeSpan, isSynced: Bool)
        case brokerDown(politely: Bool, keepsRetained: Bool)
        /// The broker drops this share of QoS 0 messages.
        case drops(Double)
    }

    var kind: Kind
    /// The machine; the last one is the store's own. A fault of the broker has a machine too, which has no meaning.
    var machine: Int
    var begin: Instant
    var end: Instant

    /// Each seed draws its groups of faults: where everything fails all the time, nothing makes progress.
    enum Group: CaseIterable {
        case process, power, disk, line, blind, clock, broker, drops

        func draw(_ chance: inout Chance) -> Kind {
            switch self {
            case .process:
                if chance.happens(0.4) { return .restart(boots: chance.happens(0.2)) }
                return .kill(afterOperations: chance.happens(0.7) ? chance.number(1...60) : nil)
            case .power: return .powerCut(afterOperations: chance.happens(0.7) ? chance.number(1...60) : nil)
            case .disk:
                if chance.happens(0.25) { return .flakyDisk(oneIn: chance.number(5...60)) }
                return .disk(chance.pick(SimulatedDisk.Trouble.allCases) ?? .full)
            case .line:
                switch chance.number(0...5) {
                case 0: return .slowLine(chance.spread(0.1, 10))
                case 1: return .brokerHangsUp
                case 2: return .line(.forgets)
                default: return .line(.delays)
                }
            case .blind: return .blind
            case .clock: return .clockOff(chance.span(-400, 400), isSynced: chance.happens(0.5))
            case .broker: return .brokerDown(politely: chance.happens(0.5), keepsRetained: chance.happens(0.5))
            case .drops: return .drops(chance.happens(0.5) ? 1 : chance.unit())
            }
        }

        /// The store has no radio, and its own clock is right.
        var isOfGateways: Bool {
            switch self {
            case .blind, .clock: true
            case .process, .power, .disk, .line, .broker, .drops: false
            }
        }
    }

    /// The faults of a seed that has a twin. They cut connections of gateways and end their epochs. They leave the
    /// store's own process, its clocks and the broker alone, so that the store receives everything in the end.
    static func linePlan(seed: UInt64, gateways: Int, duration: TimeSpan, longestCut: TimeSpan) -> [StoreFault] {
        var chance = Chance(seed: seed, stream: "line faults")
        var faults: [StoreFault] = []
        for _ in 0..<chance.number(1...14) {
            let kind: Kind =
                switch chance.number(0...9) {
                case 0: .slowLine(chance.spread(0.1, 10))
                case 1: .brokerHangsUp
                case 2: .restart(boots: false)
                case 3: .replaced
                case 4: .drops(chance.unit())
                case 5: .line(.forgets)
                default: .line(.delays)
                }
            // By then each gateway has sent a message.
            let begin = Instant.origin + chance.span(30, duration.seconds)
            let length = chance.spread(1, longestCut.seconds)
            faults.append(
                StoreFault(kind: kind, machine: chance.number(0...gateways - 1), begin: begin, end: begin + length))
        }
        return faults.sorted { $0.begin < $1.begin }
    }

    /// The faults of a seed, in the order of their beginnings.
    static func plan(seed: UInt64, machines: Int, duration: TimeSpan) -> [StoreFault] {
        var chance = Chance(seed: seed, stream: "store faults")
        let groups = Group.allCases.filter { _ in chance.happens(0.45) }
        var faults: [StoreFault] = []
        for _ in 0..<chance.number(0...14) {
            guard let group = chance.pick(groups) else { break }
            let machine = chance.number(0...machines - (group.isOfGateways ? 2 : 1))
            let begin = Instant.origin + chance.span(1, duration.seconds)
            faults.append(
                StoreFault(
                    kind: group.draw(&chance), machine: machine, begin: begin, end: begin + chance.spread(2, 150)))
        }
        return faults.sorted { $0.begin < $1.begin }
    }
}
