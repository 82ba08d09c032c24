import Testing

@testable import Core

struct RadioTests {
    @Test("An adapter is named by word, index or address")
    func adapter() throws {
        func adapters(_ line: String) throws -> [RadioSettings.Adapter] {
            try Settings.parse("[radio]\n\(line)").radio.adapters
        }
        #expect(try adapters("adapter = \"auto\"") == [.automatic])
        #expect(try adapters("adapter = \"hci12\"") == [.index(12)])
        let address = RadioSettings.Adapter.address(DeviceAddress(bits: 0x001A_7DDA_7113, type: .public))
        #expect(try adapters("adapter = \"00:1A:7D:DA:71:13\"") == [address])
        #expect(try adapters("adapter = \"00:1a:7d:da:71:13\"") == [address])
        #expect(try adapters("adapters = [\"hci0\", \"00:1A:7D:DA:71:13\"]") == [.index(0), address])
    }

    @Test(
        "Any other name of an adapter is refused",
        arguments: [
            "", "hci", "hci-1", "hci+1", "hci65536", "usb0", "00:1A:7D:DA:71", "00:1A:7D:DA:71:1", "00:1A:7D:DA:71:GG",
            "00:1A:7D:DA:71:13:00", "+0:1A:7D:DA:71:13", "Auto",
        ])
    func noAdapter(name: String) {
        #expect(
            complaints("[radio]\nadapter = \"\(name)\"") == [
                "radio.adapter = \"\(name)\": must be \"auto\", \"hci0\" or an address such as \"00:1A:7D:DA:71:13\""
            ])
        #expect(complaints("[radio]\nadapters = [\"\(name)\"]").count == 1)
    }

    @Test("A list of adapters has 1 to 8 different ones, none of them automatic")
    func list() {
        #expect(complaints("[radio]\nadapters = []").count == 1)
        #expect(complaints("[radio]\nadapters = [\"auto\"]").count == 1)
        #expect(complaints("[radio]\nadapters = [\"hci1\", \"hci1\"]").count == 1)
        #expect(complaints("[radio]\nadapters = [1]").count == 1)
        #expect(complaints("[radio]\nadapters = \"hci1\"").count == 1)
        let names = (0...8).map { "\"hci\($0)\"" }
        #expect(complaints("[radio]\nadapters = [\(names.prefix(8).joined(separator: ","))]").isEmpty)
        #expect(complaints("[radio]\nadapters = [\(names.joined(separator: ","))]").count == 1)
    }

    @Test("An adapter of a list may have its own offset, which replaces the general one")
    func offsets() throws {
        func offsets(_ text: String) throws -> [Double] {
            try Settings.parse("[radio]\n\(text)").gateway.adapters.map(\.rssiOffset_db)
        }
        #expect(try offsets("rssi_offset_db = 2") == [2])
        #expect(
            try offsets(
                """
                rssi_offset_db = 2
                adapters = ["hci0", { name = "hci1", rssi_offset_db = -3.5 }, { name = "hci2" }]
                """) == [2, -3.5, 2])
    }

    @Test(
        "A table in the list of adapters has a name, an offset from -40 to 40 or none, and nothing else",
        arguments: [
            "{ rssi_offset_db = 1 }", "{ name = \"auto\" }", "{ name = \"hci0\", rssi_offset_db = 41 }",
            "{ name = \"hci0\", rssi_offset_db = \"1\" }", "{ name = \"hci0\", offset = 1 }",
            "\"hci0\", { name = \"hci0\", rssi_offset_db = 1 }",
        ])
    func tables(entries: String) {
        #expect(complaints("[radio]\nadapters = [\(entries)]").count == 1)
    }

    @Test("adapter and adapters exclude each other")
    func both() {
        #expect(
            complaints("[radio]\nadapter = \"hci0\"\nadapters = [\"hci1\"]")
                == ["radio.adapter = \"hci0\": adapter and adapters exclude each other: keep one of them"])
    }
}
