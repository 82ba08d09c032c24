@testable import Agent
@testable import Core
@testable import TestDisk

/// A fault, from one instant to another.
struct Fault {
    enum Kind {
        /// The process is killed now, or at one of its next operations on the disk.
        case kill(afterOperations: Int?)
        /// The power fails, and everything unsynced is lost.
        case powerCut(afterOperations: Int?)
        /// An operator restarts the service, or the machine.
        case restart(boots: Bool)
        /// The gateway gets another id, which makes it another gateway. It is stopped for that, or killed.
        case moved(id: String, politely: Bool)
        case disk(SimulatedDisk.Trouble)
        case flakyDisk(oneIn: Int)
        /// The delivery loop makes no progress: a disk hangs, or a processor is busy.
        case stall
        case line(SimulatedNetwork.Cut)
        case slowLine(TimeSpan)
        case brokerDown(politely: Bool, keepsRetained: Bool)
        case loginRefused(ReasonCode)
        case refusals(Double, [ReasonCode])
        case endings(Double, [ReasonCode])
        case brokerHangsUp(ReasonCode?)
        case shuffledAcknowledgements
        case adapter(SimulatedAdapter.Trouble)
        /// The wall clock is set.
        case clockSet(TimeSpan)
        case clockUnsynced
        /// The clock has no battery, and is behind by this span until it is synchronised.
        case clockLost(TimeSpan)
        case slowController(TimeSpan)
        /// Radio and Wi-Fi share the antenna.
        case sharedAntenna
    }

    var kind: Kind
    var begin: Instant
    var end: Instant
}

extension Fault {
    /// Groups of faults. Each seed draws its groups: a world in which everything fails all the time makes no progress.
    enum Group: CaseIterable {
        case process, power, disk, line, broker, refusals, adapter, clock, stall

        func draw(_ chance: inout Chance) -> Kind {
            switch self {
            case .process:
                if chance.happens(0.3) { return .restart(boots: chance.happens(0.2)) }
                return .kill(afterOperations: chance.happens(0.7) ? chance.number(1...60) : nil)
            case .power: return .powerCut(afterOperations: chance.happens(0.7) ? chance.number(1...60) : nil)
            case .disk:
                if chance.happens(0.25) { return .flakyDisk(oneIn: chance.number(5...60)) }
                return .disk(chance.pick(SimulatedDisk.Trouble.allCases) ?? .full)
            case .line:
                if chance.happens(0.2) { return .slowLine(chance.spread(0.1, 20)) }
                return .line(chance.happens(0.5) ? .delays : .forgets)
            case .broker:
                switch chance.number(0...3) {
                case 0: return .loginRefused(chance.pick([.notAuthorized, .serverUnavailable]) ?? .notAuthorized)
                case 1:
                    return .brokerHangsUp(
                        chance.pick([nil, .unspecifiedError, .sessionTakenOver, .serverUnavailable]) ?? nil)
                default: return .brokerDown(politely: chance.happens(0.5), keepsRetained: chance.happens(0.5))
                }
            case .refusals:
                let reasons: [ReasonCode] = [.quotaExceeded, .notAuthorized, .unspecifiedError]
                switch chance.number(0...3) {
                case 0: return .endings(0.1, reasons + [nil, .packetTooLarge].compactMap(\.self))
                case 1: return .shuffledAcknowledgements
                default: return .refusals(chance.happens(0.5) ? 1 : 0.2, reasons)
                }
            case .adapter: return .adapter(chance.pick(SimulatedAdapter.Trouble.allCases) ?? .off)
            case .clock:
                if chance.happens(0.2) { return .clockUnsynced }
                let tenYears_s = 315_576_000.0
                return .clockSet(
                    chance.happens(0.5)
                        ? chance.span(-tenYears_s, tenYears_s) : chance.span(-7_200, 7_200))
            case .stall: return .stall
            }
        }
    }

    /// One seed in four moves its gateway, and some of these back to the former id. They have a stream of their own, so
    /// that the other seeds keep their faults.
    static func moves(seed: UInt64, duration: TimeSpan) -> [Fault] {
        var chance = Chance(seed: seed, stream: "moves")
        guard chance.happens(0.25) else { return [] }
        return (0..<chance.number(1...3)).map { _ in
            let begin = Instant.origin + chance.span(1, duration.seconds)
            let id = chance.pick(["gate", "door", "hall"]) ?? "door"
            return Fault(kind: .moved(id: id, politely: chance.happens(0.7)), begin: begin, end: begin)
        }
    }

    /// One gateway in four is a small board: a controller on a UART that at times takes seconds to answer, an antenna
    /// that Wi-Fi shares, a clock without a battery. These have a stream of their own too.
    static func ofBoard(seed: UInt64, duration: TimeSpan) -> [Fault] {
        var chance = Chance(seed: seed, stream: "board")
        guard chance.happens(0.25) else { return [] }
        let end = Instant.origin + duration
        var faults: [Fault] = []
        if chance.happens(0.7) { faults.append(Fault(kind: .sharedAntenna, begin: .origin, end: end)) }
        if chance.happens(0.7) {
            let months = TimeSpan.seconds(chance.span(1, 12).seconds * 30 * 86_400)
            faults.append(Fault(kind: .clockLost(months), begin: .origin, end: .origin + chance.spread(2, 60)))
        }
        for _ in 0..<chance.number(0...3) {
            let begin = Instant.origin + chance.span(0, duration.seconds)
            let slow = Fault.Kind.slowController(chance.spread(0.5, 8))
            faults.append(Fault(kind: slow, begin: begin, end: begin + chance.spread(2, 60)))
        }
        return faults
    }

    /// The faults of a seed, in the order of their beginnings.
    static func plan(seed: UInt64, duration: TimeSpan) -> [Fault] {
        var chance = Chance(seed: seed, stream: "faults")
        let groups = Group.allCases.filter { _ in chance.happens(0.4) }
        var faults: [Fault] = []
        guard !groups.isEmpty else { return [] }
        for _ in 0..<chance.number(0...12) {
            guard let group = chance.pick(groups) else { break }
            let begin = Instant.origin + chance.span(1, duration.seconds)
            faults.append(Fault(kind: group.draw(&chance), begin: begin, end: begin + chance.spread(1, 150)))
        }
        return faults.sorted { $0.begin < $1.begin }
    }
}
