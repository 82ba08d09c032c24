import Foundation
import Logging
import Testing

@testable import Agent
@testable import Core

/// One shop, heard by an adapter and by a receiver that publishes in batches.
@Suite("A shop heard by a receiver")
struct ReceiverShopTests {
    static let length_s = 300.0
    /// The receiver's clock is right, and 1,000,000 s of it have passed at the start.
    static let start = Instant.origin + .seconds(1_000_000)

    @Test(
        "The visits are those of an adapter within 1 %, begun and ended within a second",
        arguments: [ReceiverFormat.minew, .moko, .cassia, .shelly], [0.1, 1, 2])
    func visits(format: ReceiverFormat, period_s: Double) throws {
        let direct = Shop.shared.heardByAdapter
        let (batched, _) = try Shop.shared.heardByReceiver(format, period_s: period_s, Trouble("none"))
        #expect(direct.count >= 10)
        #expect(abs(batched.count - direct.count) * 100 <= direct.count)
        let unlike = Shop.unlike(direct, batched, within_s: max(1, period_s))
        // Packets without a time of their own are spread over the period.
        #expect(unlike.count * 20 <= direct.count, "\(unlike)")
    }

    @Test(
        "Late and lost batches, wrong clocks and a receiver's restart change no visit",
        arguments: [ReceiverFormat.minew, .moko, .shelly], Trouble.all)
    func trouble(format: ReceiverFormat, trouble: Trouble) throws {
        let direct = Shop.shared.heardByAdapter
        let (batched, _) = try Shop.shared.heardByReceiver(format, period_s: 1, trouble)
        #expect(direct.count >= 10)
        #expect(abs(batched.count - direct.count) * 100 <= direct.count)
        // A batch without times is dated by its arrival.
        let unlike = Shop.unlike(direct, batched, within_s: 2.5)
        #expect(unlike.count * 20 <= direct.count, "\(unlike)")
    }

    @Test(
        "A batch that comes again counts once, whether at once or when its beacons have left",
        arguments: [ReceiverFormat.minew, .moko, .cassia, .shelly], Trouble.again)
    func again(format: ReceiverFormat, trouble: Trouble) throws {
        let direct = Shop.shared.heardByAdapter
        let (batched, radio) = try Shop.shared.heardByReceiver(format, period_s: 1, trouble)
        #expect(batched.count == direct.count)
        #expect(Shop.unlike(direct, batched, within_s: 1).count * 20 <= direct.count)
        #expect(radio.map(\.1) == [.absent, .scanning])
    }

    @Test("Batches that are lost for a minute end no visit, and coverage tells that time")
    func lostBatches() throws {
        var trouble = Trouble("a silent minute")
        trouble.silent_s = 200..<260
        let (batched, radio) = try Shop.shared.heardByReceiver(.moko, period_s: 1, trouble)
        #expect(!batched.contains { 200..<262 ~= $0.exited_s })
        #expect(radio.map(\.1) == [.absent, .scanning, .stalled, .scanning])
        #expect(abs((radio.first { $0.1 == .stalled }?.0 ?? 0) - 200) < 1.5)
    }

    @Test("Where batches come only while something is heard, an exit comes before the next visit, heartbeats or not")
    func heartbeatsBetweenVisits() throws {
        let batches = (6...24).map(Double.init) + (75...85).map(Double.init)
        let visits = try Shop.visits(batches: batches, heartbeats: [-6, 24, 54, 84, 114, 144].map { $0 + 0.5 })
        #expect(visits.count == 2, "\(visits)")
    }
}

/// The faults of a receiver and of its network.
struct Trouble: Sendable, CustomTestStringConvertible {
    var name: String
    /// The error of its clock at a time of the shop.
    var ahead_s: @Sendable (Double) -> Double = { _ in 0 }
    /// The time by which a batch comes late. Batches stay in order.
    var late_s: @Sendable (Int) -> Double = { _ in 0 }
    /// Batches that never come.
    var isLost: @Sendable (Int) -> Bool = { _ in false }
    var silent_s: Range<Double> = 0..<0
    /// The time after which a batch comes a second time.
    var again_s: @Sendable (Int) -> Double? = { _ in nil }

    init(_ name: String) { self.name = name }

    var testDescription: String { name }

    static let again: [Trouble] = {
        var twice = Trouble("each batch twice")
        twice.again_s = { _ in 0.05 }
        var later = Trouble("each fifth batch again after 18 s")
        later.again_s = { $0 % 5 == 0 ? 18 : nil }
        return [twice, later]
    }()

    static let all: [Trouble] = {
        var hour = Trouble("a clock an hour ahead")
        hour.ahead_s = { _ in 3_600 }
        var behind = Trouble("a clock 1.4 s behind")
        behind.ahead_s = { _ in -1.4 }
        var drift = Trouble("a clock that drifts from 2 s behind to 2 s ahead")
        drift.ahead_s = { $0 / 75 - 2 }
        var jump = Trouble("a clock that is set twice")
        jump.ahead_s = { $0 < 100 ? -30 : $0 < 200 ? 0 : 0.7 }
        var late = Trouble("each fifth batch 1.5 s late")
        late.late_s = { $0 % 5 == 0 ? 1.5 : 0 }
        var lateHour = late
        lateHour.name = "late batches and a clock an hour ahead"
        lateHour.ahead_s = { _ in 3_600 }
        var lost = Trouble("each tenth batch lost")
        lost.isLost = { $0 % 10 == 5 }
        var restart = Trouble("a restart of 4 s, after which its clock counts from 1970")
        restart.isLost = { 150...153 ~= $0 }
        restart.ahead_s = { $0 > 150 ? -1_795_000_000 : 0 }
        return [hour, behind, drift, jump, late, lateHour, lost, restart]
    }()
}

private struct Visit: CustomStringConvertible, Sendable {
    var instance: RegionInstanceID
    var entered_s: Double
    var heard_s: Double
    var exited_s: Double

    var description: String { "\(instance) \(entered_s) to \(heard_s)" }
}

private struct Shop {
    static let settings: GatewaySettings = {
        let text = """
            [[region]]
            id = "carts"
            uuid = "\(StoreScenario.storeUUID)"
            expand = "minor"
            exit_after_s = 10
            settle_s = 0
            """
        return (try? Settings.parse(text).gateway) ?? Settings.defaults.gateway
    }()

    static let shared = Shop()

    let packets: [(at_s: Double, packet: ReceivedPacket)]
    let heardByAdapter: [Visit]

    private init() {
        var simulation = StoreSimulation(
            scenario: .firstRun(seed: 3, duration: .seconds(ReceiverShopTests.length_s)), seed: 3)
        var found: [(Double, ReceivedPacket)] = []
        while let packet = simulation.next() {
            let report = packet.report
            found.append(
                (
                    (packet.at - .origin).seconds,
                    ReceivedPacket(address: report.address, rssi_dbm: report.rssi_dbm, data: packet.data)
                ))
        }
        packets = found
        heardByAdapter = Self.heardByAdapter(found)
    }

    /// The visits of the one that the other lacks.
    static func unlike(_ direct: [Visit], _ batched: [Visit], within_s: Double) -> [Visit] {
        direct.filter { visit in
            !batched.contains {
                $0.instance == visit.instance && abs($0.entered_s - visit.entered_s) <= within_s
                    && abs($0.heard_s - visit.heard_s) <= within_s
            }
        }
    }

    private static func heardByAdapter(_ packets: [(at_s: Double, packet: ReceivedPacket)]) -> [Visit] {
        var owner = ShopOwner()
        owner.livenessChanged(to: .live, at: ReceiverShopTests.start)
        var next = 0
        for step in 1...Int((ReceiverShopTests.length_s + 60) * 10) {
            let now_s = Double(step) / 10
            while next < packets.count, packets[next].at_s <= now_s {
                let at = ReceiverShopTests.start + .seconds(packets[next].at_s)
                owner.packet(packets[next].packet.event.span, from: 0, at: at)
                next += 1
            }
            let now = ReceiverShopTests.start + .seconds(now_s)
            owner.radioProved(at: now)
            _ = owner.tick(at: now)
        }
        return owner.log.visits
    }

    private static func runner(
        _ format: ReceiverFormat, _ inbox: ReceiverInbox, _ owner: ShopOwner
    ) throws -> ReceiverRunner<ShopOwner> {
        ReceiverRunner(
            ReceiverSettings(topic: "rx", format: format), inbox, owner: owner, bell: try Doorbell(),
            wall: { WallTime(microseconds: 1_795_000_000_000_000) + ($0 - ReceiverShopTests.start) },
            logger: Logger(label: "test"), at: ReceiverShopTests.start)
    }

    /// Returns the visits of a cart that is in each batch of a Minew receiver, with empty messages at other times.
    static func visits(batches: [Double], heartbeats: [Double]) throws -> [Visit] {
        let (owner, inbox) = (ShopOwner(), try ReceiverInbox(filter: "rx"))
        let runner = try Self.runner(.minew, inbox, owner)
        let frame = IBeaconFrame(
            identity: BeaconIdentity(uuid: StoreScenario.storeUUID, major: 1, minor: 2), measuredPower_dbm: -59)
        let data = [2, 1, 6] + frame.encodedStructure
        for step in 0...1_600 {
            let now_s = Double(step) / 10
            let now = ReceiverShopTests.start + .seconds(now_s)
            if batches.contains(now_s) {
                let packets = (0..<4).map { number in
                    let address = DeviceAddress(bits: 0xC000_0000_0001, type: .random)
                    let packet = ReceivedPacket(address: address, rssi_dbm: -60 - Int8(number), data: data)
                    return (at_s: now_s, packet: packet)
                }
                inbox.take(payload(.minew, packets, 0, now_s), on: "rx", at: now)
            }
            if heartbeats.contains(now_s) { inbox.take(payload(.minew, [], 0, now_s), on: "rx", at: now) }
            runner.turn(at: now)
        }
        return owner.log.visits
    }

    func heardByReceiver(
        _ format: ReceiverFormat, period_s: Double, _ trouble: Trouble
    ) throws -> (visits: [Visit], radio: [(Double, RadioAvailability)]) {
        let (owner, inbox) = (ShopOwner(), try ReceiverInbox(filter: "rx"))
        let runner = try Self.runner(format, inbox, owner)
        var (next, number) = (0, 0)
        var batch: [(at_s: Double, packet: ReceivedPacket)] = []
        // The batches on their way, in order, and when they arrive.
        var underway: [(at_s: Double, payload: [UInt8])] = []
        var again: [(at_s: Double, payload: [UInt8])] = []
        let steps = Int(((ReceiverShopTests.length_s + 60) / 0.05).rounded())
        for step in 1...steps {
            let now_s = Double(step) / 20
            while next < packets.count, packets[next].at_s <= now_s {
                batch.append(packets[next])
                next += 1
            }
            let now = ReceiverShopTests.start + .seconds(now_s)
            if step % Int((period_s * 20).rounded()) == 0 {
                number += 1
                if !trouble.silent_s.contains(now_s), !trouble.isLost(number) {
                    let payload = Self.payload(format, batch, trouble.ahead_s(now_s), now_s)
                    // Minew's binary message has no time: with fewer packets, it may be a new one.
                    if batch.count(where: { !$0.packet.data.isEmpty }) >= 4, let again_s = trouble.again_s(number),
                        now_s + again_s < ReceiverShopTests.length_s + 59
                    {
                        again.append((now_s + again_s, payload))
                    }
                    underway.append((max(now_s + trouble.late_s(number), underway.last?.at_s ?? 0), payload))
                }
                batch = []
            }
            while let first = underway.first, first.at_s <= now_s {
                inbox.take(first.payload, on: "rx", at: now)
                underway.removeFirst()
            }
            while let first = again.first, first.at_s <= now_s {
                inbox.take(first.payload, on: "rx", at: now)
                again.removeFirst()
            }
            runner.turn(at: now)
        }
        return (owner.log.visits, owner.log.radio)
    }

    /// The message of a receiver of that format. Minew's packets are grouped by transmitter.
    private static func payload(
        _ format: ReceiverFormat, _ batch: [(at_s: Double, packet: ReceivedPacket)], _ ahead_s: Double, _ now_s: Double
    ) -> [UInt8] {
        func ms(_ at_s: Double) -> Int64 { 1_795_000_000_000 + Int64(((at_s + ahead_s) * 1_000).rounded()) }
        switch format {
        case .minew:
            let groups = Dictionary(grouping: batch) { $0.packet.address.bits }.sorted { $0.key < $1.key }
            var body: [UInt8] = [0xAC, 0x23, 0x3F, 0, 0, 1, UInt8(groups.count >> 8), UInt8(groups.count & 0xFF)]
            for (bits, entries) in groups {
                body += (0..<6).map { UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * $0)) }
                body += [UInt8(entries.count >> 8), UInt8(entries.count & 0xFF)]
                for (_, packet) in entries {
                    body += [UInt8(packet.data.count)] + packet.data
                    body += [packet.address.type == .random ? 0x02 : 0x00, UInt8(bitPattern: packet.rssi_dbm ?? 127)]
                }
            }
            let length = body.count + 7
            return [0xBB, 0x01] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body + [0xDD]
        case .moko:
            let list = batch.map { at_s, packet in
                #"{"mac":"\#(packet.address)","timestamp":\#(ms(at_s)),"rssi":\#(packet.rssi_dbm ?? -127),"adv_data":"\#(packet.data.hexadecimal)"}"#
            }
            return Array(#"{"msg_id":3070,"device_info":{"mac":"x"},"data":[\#(list.joined(separator: ","))]}"#.utf8)
        case .cassia:
            let list = batch.map { at_s, packet in
                #"{"bdaddr":"\#(packet.address)","bdaddrType":"\#(packet.address.type == .random ? "random" : "public")","rssi":\#(packet.rssi_dbm ?? -127),"adData":"\#(packet.data.hexadecimal)","timestamp":\#(ms(at_s))}"#
            }
            return Array(#"{"action":"data.scan","data":[\#(list.joined(separator: ","))]}"#.utf8)
        case .shelly:
            let list = batch.map { _, packet in
                #"["\#(packet.address)",\#(packet.rssi_dbm ?? -127),"\#(Data(packet.data).base64EncodedString())",""]"#
            }
            let ts = Double(ms(now_s)) / 1_000
            return Array(
                #"{"method":"NotifyEvent","params":{"events":[{"event":"ble.scan_result","data":[2,[\#(list.joined(separator: ","))]],"ts":\#(ts)}]}}"#
                    .utf8)
        }
    }
}

/// An engine as the owner of the radio.
private struct ShopOwner: RadioOwner {
    final class Log {
        var visits: [Visit] = []
        var radio: [(Double, RadioAvailability)] = []
    }

    let log = Log()
    private var engine: GatewayEngine
    private var outputs: [GatewayOutput] = []
    private var blindSince: Instant?

    init() {
        engine = GatewayEngine(
            Shop.settings, radioSees: false, canProbe: true, at: ReceiverShopTests.start, outputs: &outputs)
    }

    mutating func packet(_ packet: Span<UInt8>, from adapter: Int, at instant: Instant) {
        engine.receive(packet.extracting(droppingFirst: 1), from: adapter, at: instant, outputs: &outputs)
    }

    mutating func tick(at instant: Instant) -> EngineWait {
        let wait = engine.advance(through: instant, outputs: &outputs)
        for case .transition(let transition, _) in outputs {
            guard case .exit(let stay)? = transition.event?.kind else { continue }
            log.visits.append(
                Visit(
                    instance: transition.instance, entered_s: seconds(stay.enteredAt),
                    heard_s: seconds(stay.lastHeardAt), exited_s: seconds(transition.at)))
        }
        outputs.removeAll()
        return wait
    }

    mutating func livenessChanged(to liveness: RadioLiveness, at instant: Instant) {
        if case .blind(let since) = liveness { blindSince = since } else { blindSince = nil }
        engine.liveness(liveness, at: instant, outputs: &outputs)
    }

    mutating func radioProved(at instant: Instant) { engine.radioProved(at: instant, outputs: &outputs) }

    mutating func availabilityChanged(to availability: RadioAvailability, at instant: Instant) {
        log.radio.append((seconds(blindSince ?? instant), availability))
    }

    mutating func counted(_ counters: RadioCounters, at instant: Instant) {}

    mutating func stopped(at instant: Instant) {}

    private func seconds(_ instant: Instant) -> Double { (instant - ReceiverShopTests.start).seconds }
}
