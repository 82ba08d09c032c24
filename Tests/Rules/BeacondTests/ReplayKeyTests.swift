import Foundation
import Logging
import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("In a published replay, the secret of the pseudonyms lives for a day of the capture")
struct ReplayKeyTests {
    /// Half a minute before midnight.
    private static let start = WallTime(microseconds: (20_000 * 86_400 - 30) * 1_000_000)

    private let sink = RecordingSink()

    private func session(isPublished: Bool) throws -> ReplaySession {
        let outbox = Outbox(
            limits: OutboxLimits(maxEvents: 100, maxMiB: 1), at: .origin, wallTime: Self.start,
            generator: SystemRandomNumberGenerator())
        let settings = try Settings.parse(
            """
            [regions]
            settle_s = 0
            [[region]]
            id = "all"
            uuid = "00000000-0000-0001-0000-000000000002"
            ranging = true
            """)
        return ReplaySession(
            settings, outbox, newKey: [UInt8](repeating: 7, count: 32), at: Self.start, hasLocationLog: false,
            isPublished: isPublished, logger: Logger(label: "test")
        ) { _, _ in sink }
    }

    /// Plays a beacon for some seconds; returns the key after each, and the published pseudonyms.
    private func play(_ session: inout ReplaySession, seconds: Range<Int>) throws -> (
        keys: [[UInt8]], devices: [String]
    ) {
        let frame = IBeaconFrame(
            identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 7, minor: 8), measuredPower_dbm: -59)
        var keys: [[UInt8]] = []
        for second in seconds {
            let report = AdvertisingReport(
                isExtended: false, eventType: 3, address: DeviceAddress(bits: 5, type: .public), rssi_dbm: -60)
            let event = AdvertisingReportEncoder.event([(report, frame.encodedStructure)])
            session.receive(event.span, at: Self.start + .seconds(second))
            session.flush()
            keys.append(session.round.dispatcher.outbox.value(forKey: StoredState.pseudonymKeyName) ?? [])
        }
        let named = sink.items.compactMap { item -> String? in
            guard case .message(let message) = item.content, message.delivery == .ephemeral else { return nil }
            let text = String(decoding: message.payload, as: UTF8.self)
            return text.range(of: "\"device\":\"[^\"]+\"", options: .regularExpression).map { String(text[$0]) }
        }
        return (keys, named)
    }

    @Test("A published replay changes the secret at the capture's midnight, and names it by its day")
    func published() throws {
        var session = try session(isPublished: true)
        let (keys, devices) = try play(&session, seconds: 1..<60)
        #expect(Set(keys).count == 2)
        #expect(PseudonymKey.serves(keys[0], at: Self.start))
        #expect(PseudonymKey.serves(keys[58], at: Self.start + .seconds(60)))
        #expect(keys[28] == keys[0] && keys[29] == keys[58])
        #expect(sink.items.map(\.at) == sink.items.map(\.at).sorted())
        #expect(zip(devices, devices.dropFirst()).count { $0 != $1 } == 1)
    }

    @Test("A printed replay always has one secret")
    func printed() throws {
        var session = try session(isPublished: false)
        #expect(Set(try play(&session, seconds: 1..<60).keys) == [[UInt8](repeating: 7, count: 32)])
    }
}

/// Records the messages of a replay.
private final class RecordingSink: MessageSink {
    var items: [Dispatcher.Dispatched] = []
    let delivery: DeliveryCounters? = nil
    let isDelivered = true

    func take(_ items: [Dispatcher.Dispatched], at now: Instant) { self.items += items }
    func clear(former messages: [Message]) {}
    func setWill(_ message: Message) {}
    func takeIncoming() -> [IncomingMessage] { [] }
    func run(for timeout: TimeSpan, wake: Int32) {}
    func close(_ offline: Message, at now: Instant) {}
}
