import Testing

@testable import Core
@testable import VirtualController

@Suite("Control lines")
struct ControlLineTests {
    @Test("Each command is read with its arguments")
    func commands() {
        #expect(ControlLine("mute") == .mute(nil))
        #expect(ControlLine("mute 200b") == .mute(Opcode(rawValue: 0x200B)))
        #expect(ControlLine("unmute") == .unmute)
        #expect(ControlLine("hwerr") == .hardwareError)
        #expect(ControlLine("unplug") == .unplug)
        #expect(ControlLine("plug") == .plug)
        #expect(ControlLine("stat") == .stat)
        #expect(ControlLine("quit") == .quit)
        #expect(ControlLine("fail 200c 0c") == .fail(Opcode(rawValue: 0x200C), .commandDisallowed))
        #expect(ControlLine("hex 3e0201FF") == .inject([0x3E, 0x02, 0x01, 0xFF]))
        #expect(ControlLine("rate 12.5") == .rate(12.5))
    }

    @Test(
        "Any other line is no command",
        arguments: [
            "", "halt", "mute now", "fail", "fail 200c", "fail 1ffff 0", "fail 200c 100", "hex", "hex 3", "hex zz",
            "rate", "rate -1", "rate nan", "rate 1e9",
        ])
    func nonsense(line: String) {
        #expect(ControlLine(line) == nil)
    }
}
