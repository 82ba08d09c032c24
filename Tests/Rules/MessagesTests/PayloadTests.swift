import Foundation
import TestAir
import Testing

@testable import Core

@Suite("Every payload has the fields of the contract, in type and unit")
struct PayloadTests {
    private let timebase = Timebase(wallAtOrigin: WallTime(microseconds: 1_700_000_000_123_999), isSynced: true)
    private let identity = BeaconIdentity(
        uuid: ProximityUUID(high: 0x39ED_98FF_2900_441A, low: 0x802F_9C39_8FC1_99D2), major: 7, minor: 8)

    private func composer(_ form: DeviceForm = .pseudonym) -> MessageComposer {
        .of("gw", site: "shop", version: "1.0.0", form: form, key: [1, 2, 3], deviceNames: ["till"])
    }

    private func event(_ kind: RegionEvent.Kind, rssi_dbm: Double? = -63.44) -> RegionEvent {
        RegionEvent(
            kind,
            by: .beacon(
                identity,
                BeaconObservation(
                    accuracy_m: 1.236, accuracyError_m: 0.618, proximity: .near, rssi_dbm: rssi_dbm)))
    }

    @Test("enter")
    func enter() throws {
        let instance = RegionInstanceID(region: "carts", .minor(major: 7, minor: 8))
        let message = composer().event(event(.enter), of: instance, epoch: "e", seq: 4, at: .origin, timebase)
        #expect(message.topic == "beacons/shop/gw/region/carts/7/8/event")
        #expect(message.number == MessageNumber(epoch: "e", series: .events, seq: 4))
        #expect(MessageKind.event.delivery == .durable(message.number.series))
        let payload = try json(Message(message))
        #expect(
            Set(payload.keys) == [
                "schema", "at", "clock", "site", "gateway", "epoch", "seq", "type", "region", "uuid", "major", "minor",
                "rssi_dbm", "accuracy_m", "accuracy_error_m", "proximity",
            ])
        #expect(payload["schema"] as? Int == 1)
        #expect(payload["site"] as? String == "shop" && payload["gateway"] as? String == "gw")
        #expect(payload["at"] as? String == "2023-11-14T22:13:20.123Z")
        #expect(payload["clock"] as? String == "synced")
        #expect(payload["epoch"] as? String == "e" && payload["seq"] as? Int == 4)
        #expect(payload["type"] as? String == "enter" && payload["region"] as? String == "carts")
        #expect(payload["uuid"] as? String == "39ED98FF-2900-441A-802F-9C398FC199D2")
        #expect(payload["major"] as? Int == 7 && payload["minor"] as? Int == 8)
        #expect(payload["rssi_dbm"] as? Double == -63.4 && payload["accuracy_m"] as? Double == 1.24)
        #expect(payload["accuracy_error_m"] as? Double == 0.62)
        #expect(payload["proximity"] as? String == "near")
    }

    @Test("An answer that may be long has a short form, with the reason and the remedy")
    func shortAnswer() throws {
        func message(_ result: Answer.Result) -> Message {
            let address = ReplyAddress(verb: "state", topic: "replies/me", correlationData: [7])
            return composer().response(
                Answer(address: address, at: .origin, result: result), eventSeq: { _ in 0 }, timebase)
        }
        let state = RegionStatus(instance: RegionInstanceID(region: "carts"), state: .outside, since: .origin)
        let long = message(.states(Array(repeating: state, count: 30), next: nil))
        let short = try #require(long.shortened)
        #expect(short.topic == "replies/me" && short.correlationData == [7] && short.shortened == nil)
        let payload = try json(short)
        #expect(payload["request"] as? String == "state" && payload["ok"] as? Bool == false)
        let error = try #require(payload["error"] as? [String: String])
        #expect(error["code"] == "answer_too_large")
        #expect(error["text"]?.contains("30 states in \(long.payload.count) bytes") == true)
        #expect(error["text"]?.contains("ask with a limit, such as 15, and go on with next") == true)
        let one = try json(try #require(message(.states([state], next: nil)).shortened))
        #expect((one["error"] as? [String: String])?["text"]?.contains("limit") == false)
        #expect(message(.monitoring(region: "carts")).shortPayload == nil)
    }

    @Test("exit adds the stay; partial, inferred and late only when true")
    func exit() throws {
        func payload(_ isTrue: Bool) throws -> [String: Any] {
            let stay = RegionStay(
                enteredAt: .origin, lastHeardAt: .origin + .seconds(12.5), beginning: isTrue ? .partial : .observed,
                ending: isTrue ? .inferred : .observed, isLate: isTrue)
            return try json(
                Message(
                    composer().event(
                        event(.exit(stay)), of: RegionInstanceID(region: "carts"), epoch: "e", seq: 1,
                        at: .origin + .seconds(32.5), timebase)))
        }
        let plain = try payload(false)
        #expect(plain["entered_at"] as? String == "2023-11-14T22:13:20.123Z")
        #expect(plain["last_heard_at"] as? String == "2023-11-14T22:13:32.623Z")
        #expect(plain["dwell_s"] as? Double == 12.5)
        #expect(plain["partial"] == nil && plain["inferred"] == nil && plain["late"] == nil)
        #expect(try payload(true)["partial"] as? Bool == true)
        #expect(try payload(true)["inferred"] as? Bool == true)
        #expect(try payload(true)["late"] as? Bool == true)
    }

    @Test("A gap names the series of the lost numbers")
    func gap() throws {
        let message = composer().gap(epoch: "e", fromSeq: 3, toSeq: 9, cause: "disk", at: .origin, timebase)
        #expect(message.topic == "beacons/shop/gw/gap" && message.qos == .atLeastOnce && !message.isRetained)
        #expect(
            String(decoding: message.payload, as: UTF8.self)
                == #"{"schema":1,"at":"2023-11-14T22:13:20.123Z","clock":"synced","site":"shop","gateway":"gw","#
                + #""epoch":"e","from_seq":3,"to_seq":9,"cause":"disk"}"#)
    }

    @Test(
        "Each series has its own names in a gap",
        arguments: [(.events, "seq"), (.spans, "span"), (.batches, "batch"), (.surges, "surge"), (.sheets, "sheet")]
            as [(NumberSeries, String)])
    func gap(of series: NumberSeries, name: String) throws {
        let payload = try json(
            composer().gap(
                epoch: "e", of: series, fromSeq: 3, toSeq: 9, cause: "max_mib", at: .origin, timebase))
        #expect(payload["from_\(name)"] as? Int == 3 && payload["to_\(name)"] as? Int == 9)
        #expect(payload.keys.filter { $0.hasPrefix("from_") || $0.hasPrefix("to_") }.count == 2)
    }

    @Test("Quality of service, retaining and expiry follow from the delivery of a kind")
    func delivery() {
        for kind in MessageKind.allCases {
            let message = composer().message(kind, on: "t", [])
            #expect(message.delivery == kind.delivery)
            #expect((message.qos == .atMostOnce) == (kind == .ranging))
            let retained: [MessageKind] = [
                .status, .health, .state, .location, .today, .learned, .zones, .settings, .beacons,
            ]
            #expect(message.isRetained == retained.contains(kind))
            #expect(message.expiry_s == (kind == .ranging ? 11 : nil))
        }
    }

    @Test("state is retained and names the last event and its epoch")
    func state() throws {
        let message = composer().state(
            PublishedState(.inside, since: .origin, at: .origin + .seconds(1)),
            of: RegionInstanceID(region: "carts", .major(7)), epoch: "e", eventSeq: 0, timebase)
        #expect(message.topic == "beacons/shop/gw/region/carts/7/state" && message.isRetained)
        let payload = try json(message)
        #expect(
            Set(payload.keys) == ["schema", "at", "clock", "epoch", "region", "major", "state", "since", "event_seq"])
        #expect(payload["epoch"] as? String == "e")
        #expect(payload["state"] as? String == "inside" && payload["event_seq"] as? Int == 0)
        #expect(payload["since"] as? String == "2023-11-14T22:13:20.123Z")
    }

    private func ranged(_ form: DeviceForm, resolving: Bool = false) throws -> [String: Any] {
        let beacon = RangedBeacon(
            transmitter: TransmitterSlot(number: 0), track: 3, identity: identity,
            address: DeviceAddress(bits: 0xC0FF_EE00_0001, type: .random), device: nil, measuredPower_dbm: -59,
            observation: .undetermined(rssi_dbm: nil),
            lastHeard: .origin, reception: Reception(interval_ms: 102, reports_per_s: 8.3333), isResolving: resolving,
            isDuplicate: resolving)
        var composer = self.composer(form)
        let message = composer.ranging(
            RangingReport(
                instance: RegionInstanceID(region: "carts"), at: .origin + .seconds(1.5), count: 1, beacons: [beacon]),
            timebase)
        #expect(message.topic == "beacons/shop/gw/region/carts/ranging")
        #expect(message.qos == .atMostOnce && !message.isRetained && message.expiry_s == 11)
        let payload = try json(message)
        #expect(payload["count"] as? Int == 1)
        return try #require((payload["beacons"] as? [[String: Any]])?.first)
    }

    @Test("ranging lists beacons; resolving and duplicate only when true, device unless omitted")
    func ranging() throws {
        let plain = try ranged(.omit)
        #expect(
            Set(plain.keys) == [
                "track", "uuid", "major", "minor", "proximity", "accuracy_m", "accuracy_error_m", "rssi_dbm",
                "measured_power_dbm", "age_ms", "interval_ms", "reports_per_s",
            ])
        #expect(plain["interval_ms"] as? Int == 102 && plain["reports_per_s"] as? Double == 8.33)
        #expect(plain["track"] as? Int == 3 && plain["age_ms"] as? Int == 1500)
        #expect(plain["accuracy_m"] as? Int == -1 && plain["measured_power_dbm"] as? Int == -59)
        #expect(plain["accuracy_error_m"] as? Int == -1)
        #expect(plain["rssi_dbm"] is NSNull)
        let flagged = try ranged(.raw, resolving: true)
        #expect(flagged["resolving"] as? Bool == true && flagged["duplicate"] as? Bool == true)
        #expect(flagged["device"] as? String == "C0:FF:EE:00:00:01")
        #expect(try #require(try ranged(.pseudonym)["device"] as? String).wholeMatch(of: /[0-9a-f]{16}/) != nil)
    }

    @Test(
        "A region id of any characters is escaped", arguments: ["a\"b", "c\\d", "tab\t", "\u{1}", "Käse 🧀", "\u{7F}"])
    func escaping(id: String) throws {
        let message = composer().state(
            PublishedState(.outside, since: .origin, at: .origin), of: RegionInstanceID(region: id), epoch: "e",
            eventSeq: 9,
            timebase)
        #expect(try json(message)["region"] as? String == id)
    }
}

@Suite("A device is named by a keyed pseudonym that changes daily")
struct PseudonymTests {
    private let address = DeviceAddress(bits: 0x4000_0000_0001, type: .random)
    private let noon = WallTime(microseconds: 1_700_049_600_000_000)

    private func name(_ key: [UInt8] = [1], _ address: DeviceAddress? = nil, device: Int? = nil, at time: WallTime)
        -> String?
    {
        DevicePseudonym(form: .pseudonym, key: key, deviceNames: ["till"])
            .name(of: address ?? self.address, device: device, at: time)
    }

    @Test("The name is constant all day, UTC, and another the next")
    func daily() {
        let lastMoment = WallTime(microseconds: 1_700_092_799_999_999)
        #expect(name(at: noon) == name(at: lastMoment))
        #expect(name(at: lastMoment) != name(at: lastMoment + TimeSpan(microseconds: 1)))
    }

    @Test("Another key or another address gives another name")
    func keyed() {
        #expect(name(at: noon) != name([2], at: noon))
        #expect(name(at: noon) != name([1], DeviceAddress(bits: 0x4000_0000_0002, type: .random), at: noon))
    }

    @Test("The name is HMAC-SHA-256 of day and address, or day and name, compared with another implementation")
    func known() {
        #expect(name(at: noon) == "f847846dcf4b3bae")
        #expect(name(device: 0, at: noon) == "f6929d6a3fa072cc")
    }

    @Test("A store's secret gives a secret for the day, by HKDF-SHA-256")
    func ofStore() {
        let key = PseudonymKey.make(
            siteKey: Array("one secret of a store".utf8), at: WallTime(microseconds: 1_800_014_400_000_000))
        let expected: [UInt8] = [
            0xFC, 0x27, 0xBD, 0x17, 0xEE, 0xFD, 0x4A, 0xC3, 0xBA, 0xF5, 0x12, 0x6D, 0x38, 0x45, 0x79, 0xD1,
            0xE9, 0x3C, 0xF9, 0x87, 0x68, 0x90, 0x91, 0xBE, 0x58, 0xEC, 0xA2, 0xC6, 0x36, 0x34, 0x02, 0xF0,
        ]
        #expect(key == expected + [0, 0, 0, 0, 0, 0, 0x51, 0x61])
    }

    @Test("A secret is 32 random octets, never repeated")
    func random() {
        let secrets = (0..<8).map { _ in PseudonymKey.random() }
        #expect(secrets.holdForAll { $0.count == 32 } && Set(secrets).count == secrets.count)
    }

    @Test("A known device keeps its name through rotation")
    func knownDevice() {
        let other = DeviceAddress(bits: 0x4000_0000_0002, type: .random)
        #expect(name(device: 0, at: noon) == name([1], other, device: 0, at: noon))
    }
}
