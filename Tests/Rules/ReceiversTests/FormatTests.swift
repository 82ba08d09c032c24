import Testing

@testable import Core

/// The packets of a message, as text: address, type, RSSI, data.
private func lines(_ format: ReceiverFormat, _ payload: [UInt8]) throws -> [String] {
    try format.read(payload).packets.map { packet in
        let data = packet.data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let type = packet.address.type == .random ? "random" : "public"
        return
            "\(packet.address) \(type) \(packet.rssi_dbm.map(String.init) ?? "-") \(packet.isScanResponse ? "response " : "")\(data)"
    }
}

private func octets(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).compactMap { start in
        let first = digits.index(digits.startIndex, offsetBy: start)
        return UInt8(digits[first..<digits.index(first, offsetBy: 2)], radix: 16)
    }
}

/// A binary message of a Minew gateway with 28 packets of 12 transmitters, as `barnowl-minew` publishes it in its tests.
let minewMessage = octets(
    """
    BB0100000371AC233FC02F87000C032E4A1AA95A00011F1EFF06000109200235EEAEEBD2CFD9330452E2AC9FE743D46EFC3EACBEAE2A06CF068B332CECE2
    00021F1EFF06000109200253439AFB696A05586197E9F66EE6CB86DBBA155695877C06D21F1EFF06000109200253439AFB696A05586197E9F66EE6CB86DB
    BA155695877C06D120181116771200021E0201061AFF4C0002154C2B0000000100010001012B010002C900010001C500D91B020A000303F1FF0E16F1FF64
    0001000120181116771204094C2B4201D920200529091300011D0201060303AAFE1516AAFE00E80011223344556677889900000000000000CF2FCDA8E1A7
    A600031F1EFF0600010920020BBCB084E1CE7776FADBE60253E3E9657D33DC5A05C62506D21F1EFF0600010920020BBCB084E1CE7776FADBE60253E3E965
    7D33DC5A05C62506D01F1EFF0600010920020BBCB084E1CE7776FADBE60253E3E9657D33DC5A05C62506D2393F7BA3A03600031F1EFF06000109200200F8
    DA4B31DDF0B8959217A0E4459D2C9773F26E61999006D31F1EFF06000109200200F8DA4B31DDF0B8959217A0E4459D2C9773F26E61999006D41F1EFF0600
    0109200200F8DA4B31DDF0B8959217A0E4459D2C9773F26E61999006D250ECECE1AEF000020005CF1102011A020A0C0AFF4C001005031CF7B75E04CF67C7
    750A58FC00041202011A020A080BFF4C001006311A4851464904D00005D51202011A020A080BFF4C001006311A4851464904D20005D06D24188177A40002
    1102011A020A0C0AFF4C0010054B1CDB112704D11102011A020A0C0AFF4C0010054B1CDB112704CFACAC2233000400021F0201061BFF3906CA0004003322
    ACAC5F6000000000000001000000CBC6B86600CF1D02010619FF3906CA011700000000B4B63000C500000000000130632BC000CFC2005900038E00011E02
    01061AFF4C000215FDA50693A4E24FB1AFCFC6EB0764782527114CB9C502D4DC234D08C8EA00051C020106030201A20C1601A200616D6673716F78730000
    00000000000000CF1E0309545919FFD007000300000100A06C720DA47914B1A9D5900447373C5501CF1C020106030201A20C1601A200616D6673716F7873
    000000000000000000CF1E0309545919FFD007000300000100A06C720DA47914B1A9D5900447373C5501CF1C020106030201A20C1601A200616D6673716F
    7873000000000000000000CFDD
    """)

@Suite("The formats of receivers")
struct ReceiverFormatTests {
    @Test("Minew's published binary message has its packets, with addresses, types and levels")
    func minewBinary() throws {
        let found = try lines(.minew, minewMessage)
        // Three of the 28 packets have no data.
        #expect(found.count == 25)
        #expect(
            found.first == "03:2E:4A:1A:A9:5A random -49 1eff06000109200235eeaeebd2cfd9330452e2ac9fe743d46efc3eacbeae2a"
        )
        #expect(
            found.filter { $0.contains("0201061aff4c000215") } == [
                "20:18:11:16:77:12 public -39 0201061aff4c0002154c2b0000000100010001012b010002c900010001c5",
                "C2:00:59:00:03:8E random -44 0201061aff4c000215fda50693a4e24fb1afcfc6eb0764782527114cb9c5",
            ])
        #expect(found.contains { $0.hasPrefix("DC:23:4D:08:C8:EA public -49 response 0309545919") })
    }

    @Test("Each octet less, or another length, tail or kind, refuses a binary message without a trap")
    func minewDamaged() {
        for count in 0..<minewMessage.count {
            #expect(throws: ReceiverRefusal.self) { try ReceiverFormat.minew.read(Array(minewMessage[..<count])) }
        }
        for (place, octet) in [(1, UInt8(0x07)), (5, 0x72), (minewMessage.count - 1, 0xDE)] {
            var damaged = minewMessage
            damaged[place] = octet
            #expect(throws: ReceiverRefusal.self) { try ReceiverFormat.minew.read(damaged) }
        }
    }

    @Test("Minew's Connect message has its packets; angles of arrival behind the data are left out")
    func minewConnect() throws {
        let plain = octets("0D00 0103 C2005900038E D4 03 020106")
        let angles = octets("1300 0103 20181116 7712 D9 03 020105 0600 01020304")
        func message(_ body: [UInt8]) -> [UInt8] {
            func number(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8), 0, 0] }
            return octets("BB02 00000000") + number(20 + body.count) + number(6 + body.count) + octets("843E")
                + number(body.count) + body
        }
        #expect(
            try lines(.minew, message(plain + angles)) == [
                "C2:00:59:00:03:8E random -44 020106", "20:18:11:16:77:12 random -39 020105",
            ])
        #expect(try lines(.minew, message([])).isEmpty)
        for missing in 1..<plain.count {
            #expect(throws: ReceiverRefusal.self) {
                try ReceiverFormat.minew.read(message(angles + plain.dropLast(missing)))
            }
        }
    }

    @Test("A cause of refusal is the same wherever in the message it stands, so that a log can name it once")
    func oneCause() throws {
        let whole = minewMessage
        let reasons = Set(
            (2..<whole.count).compactMap { length -> ReceiverRefusal.Reason? in
                var cut = Array(whole.prefix(length))
                let length = UInt32(cut.count)
                if cut.count >= 6 {
                    cut.replaceSubrange(2..<6, with: (0..<4).map { UInt8(length >> (24 - 8 * $0) & 0xFF) })
                }
                cut[cut.count - 1] = 0xDD
                do throws(ReceiverRefusal) {
                    _ = try ReceiverFormat.minew.read(cut)
                    return nil
                } catch {
                    return error.reason
                }
            })
        #expect(reasons.count <= 4, "\(reasons)")
    }

    @Test("Minew's JSON has raw data behind the gateway's own entry")
    func minewJSON() throws {
        let text = """
            [{"timestamp":"2026-11-28T17:00:00Z","type":"Gateway","mac":"AC233FC02F87"},
            {"timestamp":"2026-11-28T17:00:00Z","mac":"C2005900038E","rssi":-44,"rawData":"0201061AFF4C000215"},
            {"mac":"C2005900038F","rssi":-44}]
            """
        #expect(try lines(.minew, Array(text.utf8)) == ["C2:00:59:00:03:8E random -44 0201061aff4c000215"])
        let message = try ReceiverFormat.minew.read(Array(text.utf8))
        #expect(message.isDated && message.sentAt == Timestamp.anyTime("2026-11-28T17:00:00Z"))
        #expect(try lines(.minew, Array("\r\n \(text)".utf8)).count == 1)
        // A sensor's element without raw data is no fault of the settings.
        #expect(message.fault == nil)
    }

    @Test("MOKO's scan messages of both protocols have their packets; its state has none")
    func moko() throws {
        let older = """
            {"msg_id":3004,"device_info":{"device_id":"1234","mac":"112233445566"},"data":[{"type":8,"value":{"timestamp":
            "2021-01-01&17:10:16+08","type":"unknown","mac":"ABDF01FC9E98","rssi":-78,"name":"ABC","raw":
            "0201060303AAFE1116AAFE20000BD091181501E329"}}]}
            """
        #expect(
            try lines(.moko, Array(older.utf8)) == [
                "AB:DF:01:FC:9E:98 random -78 0201060303aafe1116aafe20000bd091181501e329"
            ])
        #expect(
            try ReceiverFormat.moko.read(Array(older.utf8)).sentAt == Timestamp.anyTime("2021-01-01T09:10:16Z"))
        let newer = """
            {"msg_id":3070,"device_info":{"mac":"112233445566"},"data":[{"mac":"abdf01fc9e98","timestamp":1795883385123,
            "rssi":-61,"adv_data":"020106","rsp_data":"0309414243"}]}
            """
        #expect(
            try lines(.moko, Array(newer.utf8)) == [
                "AB:DF:01:FC:9E:98 random -61 020106", "AB:DF:01:FC:9E:98 random -61 response 0309414243",
            ])
        #expect(
            try ReceiverFormat.moko.read(Array(newer.utf8)).packets[0].time
                == WallTime(microseconds: 1_795_883_385_123_000))
        let state = #"{"msg_id":3003,"device_info":{"mac":"112233445566"},"data":{"net_state":"online"}}"#
        #expect(try lines(.moko, Array(state.utf8)) == [])
    }

    @Test("Cassia's packets come alone, in a list, and in the envelope of its MQTT interface")
    func cassia() throws {
        let packet = """
            {"bdaddrs":[{"bdaddr":"FE:E1:50:BA:DA:55","bdaddrType":"random"}],"rssi":-72,
            "adData":"02010612094341535349412D424541434F4E2D333335","evtType":0,"chipId":0}
            """
        let expected = "FE:E1:50:BA:DA:55 random -72 02010612094341535349412d424541434f4e2d333335"
        #expect(try lines(.cassia, Array(packet.utf8)) == [expected])
        #expect(try lines(.cassia, Array("[\(packet),\(packet)]".utf8)) == [expected, expected])
        let envelope = """
            {"id":"35656","action":"data.scan","timestamp":1678698297028,"gateway":"CC:1B:E0:E2:8F:2C","data":[\(packet)]}
            """
        let found = try ReceiverFormat.cassia.read(Array(envelope.utf8)).packets
        #expect(found.map(\.time) == [WallTime(microseconds: 1_678_698_297_028_000)])
        let heartbeat =
            #"{"id":"1","action":"heartbeat","timestamp":1678698297028,"gateway":"CC:1B:E0:E2:8F:2C","data":{}}"#
        #expect(try lines(.cassia, Array(heartbeat.utf8)) == [])
    }

    @Test("A message of Cassia's has a time though its clock counts from 1970, so that an equal one is a repeat")
    func cassiaWithoutClock() throws {
        let text = #"[{"bdaddr":"00:E1:50:BA:DA:55","rssi":-72,"adData":"020106","timestamp":61234}]"#
        let message = try ReceiverFormat.cassia.read(Array(text.utf8))
        #expect(message.isDated && message.packets.map(\.time) == [nil])
    }

    @Test("A public address of Cassia's is public")
    func cassiaPublic() throws {
        let text = #"{"bdaddr":"00:E1:50:BA:DA:55","bdaddrType":"public","rssi":-72,"adData":"020106"}"#
        #expect(try lines(.cassia, Array(text.utf8)) == ["00:E1:50:BA:DA:55 public -72 020106"])
    }

    @Test("Shelly's script has packets in both versions; the frame has the time of their batch", arguments: [1, 2])
    func shelly(version: Int) throws {
        let fields = #""AA:BB:CC:DD:EE:FF",-50,"AQIDBAUGBwgJCg==","AQIDBAUGBwgJCg==""#
        let data = version == 1 ? "[1,\(fields)]" : "[2,[[\(fields)],[\(fields)]]]"
        let text = """
            {"src":"shellyplus1-a8032abe54dc","dst":"x","method":"NotifyEvent","params":{"ts":1631266595.43,"events":[
            {"component":"script:1","id":1,"event":"ble.scan_result","data":\(data),"ts":1631266595.43}]}}
            """
        let found = try ReceiverFormat.shelly.read(Array(text.utf8)).packets
        #expect(found.count == 2 * version)
        #expect(found.allSatisfy { $0.data == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] && $0.rssi_dbm == -50 })
        #expect(found.map(\.isScanResponse) == Array(repeating: [false, true], count: version).flatMap(\.self))
        #expect(found[0].time == WallTime(microseconds: 1_631_266_595_430_000))
    }

    @Test(
        "A message whose packets have no data that can be read is refused, with what to set at the device",
        arguments: [
            (
                ReceiverFormat.minew,
                #"[{"type":"Gateway","mac":"AC233FC02F87"},{"type":"iBeacon","mac":"C2005900038E","rssi":-44}]"#
            ),
            (.moko, #"{"msg_id":3070,"data":[{"mac":"abdf01fc9e98","rssi":-61,"raw_data":"020106"}]}"#),
            (.moko, #"{"msg_id":3004,"data":[{"type":8,"value":{"mac":"ABDF01FC9E98","rssi":-78,"name":"ABC"}}]}"#),
            (.moko, #"{"msg_id":3004,"data":[{"mac":"ABDF01FC9E98","rssi":-78,"raw":"020106"}]}"#),
            (.cassia, #"[{"mac":"C2005900038E","rssi":-44,"rawData":"020106"}]"#),
            (.cassia, #"{"bdaddr":"00:E1:50:BA:DA:55","rssi":-72,"adData":"020"}"#),
            (
                .shelly,
                #"{"method":"NotifyEvent","params":{"events":[{"event":"ble.scan_result","data":[2,[["AA:BB:CC:DD:EE:FF",-50,"?"]]]}]}}"#
            ),
        ])
    func useless(format: ReceiverFormat, text: String) throws {
        #expect { try format.read(Array(text.utf8)) } throws: { error in
            "\(error)".contains("without an address or advertising data: ") && "\(error)".contains("let ")
                || "\(error)".contains("BIN-LONG")
        }
    }

    @Test("A message with packets of use and others counts with those, and names the fault")
    func partlyUseless() throws {
        let text =
            #"{"msg_id":3070,"data":[{"mac":"abdf01fc9e98","adv_data":"020106"},{"mac":"abdf01fc9e99","raw_data":"02"}]}"#
        let message = try ReceiverFormat.moko.read(Array(text.utf8))
        #expect(message.packets.count == 1)
        #expect("\(try #require(message.fault))".contains("adv_data"))
    }

    @Test("A packet without content, and a message without packets, are no fault")
    func empty() throws {
        let packet = #"{"msg_id":3070,"data":[{"mac":"abdf01fc9e98","rssi":-61,"adv_data":""}]}"#
        for text in [packet, #"{"msg_id":3070,"data":[]}"#] {
            let message = try ReceiverFormat.moko.read(Array(text.utf8))
            #expect(message.packets.isEmpty && message.fault == nil)
        }
        #expect(try ReceiverFormat.minew.read(minewMessage).fault == nil)
    }

    @Test("The format that reads a message is found where the configured one does not")
    func otherFormat() {
        #expect(ReceiverFormat.moko.other(thatReads: minewMessage) == .minew)
        #expect(ReceiverFormat.moko.hint(of: minewMessage).contains(#"receiver.format = "minew""#))
        #expect(ReceiverFormat.minew.other(thatReads: minewMessage) == nil)
        #expect(ReceiverFormat.minew.hint(of: Array("hello".utf8)) == "")
    }

    @Test("A message of another maker is refused, with what to compare")
    func foreign() {
        for format in ReceiverFormat.allCases {
            #expect { try format.read(Array("hello".utf8)) } throws: { "\($0)".contains("receiver.format") }
            #expect(throws: ReceiverRefusal(.tooLong)) {
                try format.read([UInt8](repeating: 0, count: ReceivedPacket.mostOctets + 1))
            }
        }
    }

    @Test("More packets than allowed refuse the message")
    func tooMany() {
        let packet = #"{"mac":"ABDF01FC9E98","rssi":-61,"adv_data":"020106"}"#
        let list = Array(repeating: packet, count: ReceivedPacket.mostInMessage + 1).joined(separator: ",")
        #expect(throws: ReceiverRefusal(.tooManyPackets)) {
            try ReceiverFormat.moko.read(Array(#"{"msg_id":3070,"data":[\#(list)]}"#.utf8))
        }
    }

    @Test("A packet becomes the event of a controller, legacy or extended by its length", arguments: [0, 31, 32, 229])
    func event(length: Int) throws {
        let address = DeviceAddress(bits: 0xC200_5900_038E, type: .random)
        let data = [UInt8](repeating: 0x2A, count: length)
        let event = ReceivedPacket(address: address, rssi_dbm: -44, data: data).event
        var rejects = RejectCounts()
        var found: [(AdvertisingReport, Int)] = []
        AdvertisingEvent.decode(event.span.extracting(droppingFirst: 1), rejects: &rejects) {
            found.append(($0, $1.count))
        }
        #expect(rejects.total == 0)
        #expect(found.map(\.0.address) == [address])
        #expect(found.map(\.0.rssi_dbm) == [-44])
        #expect(found.map(\.1) == [length])
        #expect(found.map(\.0.isExtended) == [length > 31])
    }
}
