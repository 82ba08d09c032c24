import Foundation
import Testing

@testable import Core

/// A store whose lines are cut, beside its undisturbed twin. Both get equal crossings.
///
/// Two carts come and go. Beside them each gateway has a cart of its own that never leaves, so it lists beacons while its line is up.
private struct Twins {
    static let carts = [1, 2]

    /// One gateway's stay of one cart.
    private struct Crossing {
        var at_s: Double
        var gateway: Int
        var cart: Int
        var entered_s: Double?
        var seq: Int
        var epoch: String
    }

    /// A time in which a gateway's line is down.
    private struct Cut {
        var from_s: Double
        var to_s: Double
        var gateway: Int
        /// The time of the gateway's will, where the broker publishes it.
        var will_s: Double?
    }

    private var state: UInt64
    private let names: [String]
    private var crossings: [Crossing] = []
    private var cuts: [Cut] = []
    /// The time between lists.
    private let interval_s: Double

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        interval_s = seed % 4 < 2 ? 3 : 6
        names = Array(["a", "b", "c", "d", "e"].prefix(2 + Int(seed % 7) / 2))
        let longestCut_s = seed % 2 == 0 ? 600 : 60
        for gateway in names.indices {
            for cart in Self.carts { comeAndGo(cart, at: gateway) }
            var t_s = Double(30 + below(200))
            for _ in 0..<below(6) {
                let length_s = Double(1 + below(below(2) == 0 ? 30 : longestCut_s)) + 0.5
                let will_s = length_s > 60 ? t_s + 45 : nil
                cuts.append(Cut(from_s: t_s, to_s: t_s + length_s, gateway: gateway, will_s: will_s))
                t_s += length_s + 10 + Double(below(300))
            }
        }
        crossings.sort { ($0.at_s, $0.gateway) < ($1.at_s, $1.gateway) }
        number()
    }

    private mutating func comeAndGo(_ cart: Int, at gateway: Int) {
        var t_s = Double(10 + below(60)) + Double(cart) / 8
        while t_s < 900 {
            let left_s = t_s + 6 + Double(below(4) == 0 ? below(400) : below(60))
            crossings.append(Crossing(at_s: t_s, gateway: gateway, cart: cart, entered_s: nil, seq: 0, epoch: "E"))
            crossings.append(Crossing(at_s: left_s, gateway: gateway, cart: cart, entered_s: t_s, seq: 0, epoch: "E"))
            t_s = left_s + 3 + Double(below(3) == 0 ? below(300) : below(20)) + 0.25
        }
    }

    /// Numbers the events of each gateway. It is restarted at times, while it has no cart inside.
    private mutating func number() {
        for gateway in names.indices {
            var (seq, epoch, inside) = (0, "E", 0)
            for index in crossings.indices where crossings[index].gateway == gateway {
                if inside == 0, below(12) == 0 { (seq, epoch) = (0, epoch + "F") }
                seq += 1
                inside += crossings[index].entered_s == nil ? 1 : -1
                (crossings[index].seq, crossings[index].epoch) = (seq, epoch)
            }
        }
    }

    private mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(limit, 1)
    }

    /// A message and its arrival.
    private enum Arrival {
        case crossing(Crossing)
        case status(Int, online: Bool, epoch: String)
        /// The state after a crossing; before the first one where there is none.
        case state(Int, cart: Int, Crossing?)
        /// The entry of the cart that never leaves.
        case own(Int)
        case list(Int, cart: Int)
    }

    private struct Delivery {
        var at_s: Double
        /// The order of messages of one time.
        var order: Int
        var arrival: Arrival
    }

    /// Returns the visits of the carts that a store tells, in the order of their entries.
    ///
    /// - Parameter isCut: whether lines are cut. The twin's are not.
    /// - Returns: each visit: its cart, its entry, its exit, and its last report.
    func published(isCut: Bool) throws -> (visits: [String], late: UInt64) {
        var store = try Store("[site]\nlate_after_s = 900")
        let cuts = isCut ? cuts : []
        // Messages of one time keep their order.
        let deliveries = deliveries(cuts).enumerated().sorted {
            ($0.element.at_s, $0.element.order, $0.offset) < ($1.element.at_s, $1.element.order, $1.offset)
        }
        for delivery in deliveries.map(\.element) { deliver(delivery.arrival, at: delivery.at_s, to: &store) }
        store.advance(to: 20_000)
        return (
            store.visits.filter { visit in Self.carts.contains { visit.hasPrefix("carts/1/\($0) ") } },
            store.engine.figures.late
        )
    }

    private func deliveries(_ cuts: [Cut]) -> [Delivery] {
        var deliveries: [Delivery] = []
        for crossing in crossings {
            let cut = cuts.first {
                $0.gateway == crossing.gateway && $0.from_s <= crossing.at_s && crossing.at_s <= $0.to_s
            }
            deliveries.append(
                Delivery(at_s: cut.map { $0.to_s + 0.02 } ?? crossing.at_s, order: 3, arrival: .crossing(crossing)))
            if cut == nil {
                if crossing.seq == 1 {
                    deliveries.append(
                        Delivery(
                            at_s: crossing.at_s, order: 0,
                            arrival: .status(crossing.gateway, online: true, epoch: crossing.epoch)))
                }
                deliveries.append(
                    Delivery(
                        at_s: crossing.at_s + 0.01, order: 4,
                        arrival: .state(crossing.gateway, cart: crossing.cart, crossing)))
            }
        }
        for gateway in names.indices {
            deliveries.append(Delivery(at_s: 0, order: 0, arrival: .status(gateway, online: true, epoch: "E")))
            deliveries.append(Delivery(at_s: 0, order: 2, arrival: .own(gateway)))
            for cart in Self.carts {
                deliveries.append(Delivery(at_s: 0, order: 1, arrival: .state(gateway, cart: cart, nil)))
            }
            for number in 1..<Int(1_100 / interval_s) {
                let at_s = Double(number) * interval_s - 0.1 - Double(gateway) / 100
                if cuts.contains(where: { $0.gateway == gateway && $0.from_s <= at_s && at_s < $0.to_s }) { continue }
                for cart in Self.carts where isInside(cart, gateway, at: at_s) {
                    deliveries.append(Delivery(at_s: at_s, order: 5, arrival: .list(gateway, cart: cart)))
                }
                deliveries.append(Delivery(at_s: at_s, order: 5, arrival: .list(gateway, cart: 10 + gateway)))
            }
        }
        for cut in cuts {
            let epoch = crossings.last { $0.gateway == cut.gateway && $0.at_s < cut.to_s }?.epoch ?? "E"
            if let will_s = cut.will_s {
                deliveries.append(
                    Delivery(at_s: will_s, order: 0, arrival: .status(cut.gateway, online: false, epoch: epoch)))
            }
            deliveries.append(
                Delivery(at_s: cut.to_s, order: 1, arrival: .status(cut.gateway, online: true, epoch: epoch)))
            for cart in Self.carts {
                let last = crossings.last { $0.gateway == cut.gateway && $0.cart == cart && $0.at_s < cut.to_s }
                deliveries.append(
                    Delivery(at_s: cut.to_s + 0.01, order: 2, arrival: .state(cut.gateway, cart: cart, last)))
            }
        }
        return deliveries
    }

    private func isInside(_ cart: Int, _ gateway: Int, at t_s: Double) -> Bool {
        crossings.last { $0.gateway == gateway && $0.cart == cart && $0.at_s <= t_s }.map { $0.entered_s == nil }
            ?? false
    }

    private func deliver(_ arrival: Arrival, at t_s: Double, to store: inout Store) {
        switch arrival {
        case .status(let gateway, let isOnline, let epoch):
            store.status(names[gateway], online: isOnline, epoch: epoch, at: t_s)
        case .state(let gateway, let cart, let crossing):
            store.state(
                names[gateway], crossing.map { $0.entered_s == nil } ?? false ? "inside" : "outside",
                "carts/1/\(cart)",
                since_s: crossing?.at_s ?? 0, told_s: crossing?.at_s ?? 0, seq: crossing?.seq ?? 0,
                epoch: crossing?.epoch ?? "E", at: t_s)
        case .own(let gateway):
            store.enter(names[gateway], "carts/1/\(10 + gateway)", minor: 10 + gateway, seq: 1_000, epoch: "D", at: t_s)
        case .list(let gateway, let cart): store.list(names[gateway], [cart: -60], "carts/1/\(cart)", at: t_s)
        case .crossing(let crossing):
            let (name, region) = (names[crossing.gateway], "carts/1/\(crossing.cart)")
            if let entered_s = crossing.entered_s {
                store.exit(
                    name, region, minor: crossing.cart, entered_s: entered_s, heard_s: crossing.at_s,
                    told_s: crossing.at_s, seq: crossing.seq, epoch: crossing.epoch, at: t_s)
            } else {
                store.enter(
                    name, region, minor: crossing.cart, told_s: crossing.at_s, seq: crossing.seq, epoch: crossing.epoch,
                    at: t_s)
            }
        }
    }
}

@Suite("Once everything has arrived, a store whose lines were cut has published the visits of its undisturbed twin")
struct TwinTests {
    @Test("Visits are equal, and no message came too late", arguments: 1...4)
    func visits(seed: Int) throws { try check(seed) }

    @Test("Visits are equal in many stores", arguments: Share.ofThisRun.numbers(in: 5...400))
    func visitsOfManyStores(seed: Int) throws { try check(seed) }

    private func check(_ seed: Int) throws {
        let twins = Twins(seed: UInt64(seed))
        let (twin, cut) = try (twins.published(isCut: false), twins.published(isCut: true))
        #expect(twin.late == 0 && cut.late == 0)
        #expect(cut.visits == twin.visits)
    }
}

/// One of the equal shares of a long test, as `SUITE_SHARE=3/10` asks for it; without that variable all of it.
private struct Share {
    var number = 1
    var count = 1

    static var ofThisRun: Share {
        let share = ProcessInfo.processInfo.environment["SUITE_SHARE"] ?? "1/1"
        let words = share.split(separator: "/").compactMap { Int($0) }
        guard words.count == 2, words[1] > 0, (1...words[1]).contains(words[0]) else { return Share() }
        return Share(number: words[0], count: words[1])
    }

    func numbers(in range: ClosedRange<Int>) -> [Int] { range.filter { $0 % count == number - 1 } }
}
