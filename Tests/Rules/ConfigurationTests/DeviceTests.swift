import TestAir
import Testing

@testable import Core

struct DeviceTests {
    let octets: [UInt8] = [
        0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B,
    ]

    func device(_ irk: String, name: String = "till-3") -> String {
        "[[device]]\nname = \"\(name)\"\nirk = \"\(irk)\"\n"
    }

    @Test(
        "A resolving key is hexadecimal in either case, or Base64 with or without padding",
        arguments: [
            "EC0234A357C8AD05341010A60A397D9B", "ec0234a357c8ad05341010a60a397d9b", "7AI0o1fIrQU0EBCmCjl9mw==",
            "7AI0o1fIrQU0EBCmCjl9mw",
        ])
    func key(text: String) throws {
        let devices = try Settings.parse(device(text)).gateway.tracker.devices
        #expect(devices.map(\.identityResolvingKey) == [octets])
        #expect(devices.map(\.name) == ["till-3"])
    }

    @Test(
        "Any other key is refused, and not shown",
        arguments: [
            "", "EC0234A357C8AD05341010A60A397D9", "EC0234A357C8AD05341010A60A397D9B0",
            "GC0234A357C8AD05341010A60A397D9B",
            "7AI0o1fIrQU0EBCmCjl9mw=", "7AI0o1fIrQU0EBCmCjl9m", "7AI0o1fIrQU0EBCmCjl9m-==", "7AI0o1fIrQU0EBCmCjl9mx==",
        ])
    func noKey(text: String) {
        #expect(
            complaints(device(text)) == [
                "device[1].irk: must be 32 hexadecimal digits or Base64 of 16 bytes, most significant byte first"
                    + " (it has \(text.count) characters)"
            ])
    }

    @Test("A device has a name and a key")
    func required() {
        let errors = complaints("[[device]]")
        #expect(errors.count == 2)
        #expect(errors.holdForAll { $0.contains(": is missing; must be ") })
        #expect(complaints(device("EC0234A357C8AD05341010A60A397D9B", name: "")).count == 1)
    }

    @Test("Two devices share neither name nor key")
    func unique() {
        let first = device("EC0234A357C8AD05341010A60A397D9B", name: "a")
        #expect(
            complaints(first + device("00000000000000000000000000000000", name: "a"))
                == ["device[2].name = \"a\": must be unique: another [[device]] has this name"])
        #expect(
            complaints(first + device("EC0234A357C8AD05341010A60A397D9B", name: "b"))
                == ["device[2].irk: must be unique: device \"a\" has the same key"])
    }

    @Test("Devices are limited, because each key costs work for every unknown address")
    func limit() {
        func text(_ count: Int) -> String {
            (0..<count).map { number in
                let digits = String(number, radix: 16)
                return device(String(repeating: "0", count: 32 - digits.count) + digits, name: "d\(number)")
            }.joined()
        }
        #expect(complaints(text(1024)).isEmpty)
        #expect(complaints(text(1025)).count == 1)
    }
}
