import ArgumentParser
import Glibc

@testable import Core

/// A Bluetooth LE controller for Linux that hears what a capture holds.
@main
struct VirtualController: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "VirtualController",
        abstract: "A virtual Bluetooth LE controller that plays a btsnoop capture while the host scans.",
        discussion: """
            The kernel has it on /dev/vhci, or with --uart on a serial line, which is a pseudo-terminal. It waits until the host scans before the capture's time begins, and goes on when the capture has ended. \
            What happens is said on standard output, one line each: INDEX hciN, PARAMETERS, SCAN, PLAYING (with the \
            Unix time at which the first record was due), END, ADVERTISE, REFUSED, UNPLUGGED, STAT.

            Lines on standard input: mute [OPCODE], unmute, fail OPCODE STATUS (hexadecimal; status 0 ends it), hwerr, unplug, \
            plug, hex OCTETS (an HCI event from its event code on), rate N (events a second), stat, quit.
            """)

    @Argument(help: "The capture to play; without one the controller answers and stays silent.")
    var capture: String?

    @Option(help: "The adapter's public address.")
    var address = "00:1B:DC:00:00:01"

    @Option(help: "How many times as fast as recorded.")
    var speed = 1.0

    @Flag(help: "Offer LE extended advertising, as Bluetooth 5 controllers may.")
    var extended = false

    @Flag(help: "Be on a serial line that speaks H4 (hci_uart), not on /dev/vhci (hci_vhci).")
    var uart = false

    func validate() throws {
        guard speed > 0, speed <= 1000 else { throw ValidationError("--speed must be above 0 and at most 1000") }
        guard Self.addressBits(address) != nil else {
            throw ValidationError("--address must be six octets such as 00:1B:DC:00:00:01")
        }
    }

    func run() throws {
        let bits = Self.addressBits(address) ?? 0
        let identity = ControllerIdentity(
            address: DeviceAddress(bits: bits, type: .public), hasExtendedAdvertising: extended)
        let recording = try Capture(try capture.map(Self.contents) ?? BTSnoopWriter.header)
        var loop = EventLoop(identity, Playback(recording, pace: .recorded(speed: speed))) { [uart] in
            if uart { try VirtualUART() } else { try VirtualHCIDevice() }
        }
        try loop.run()
    }

    private static func addressBits(_ text: String) -> UInt64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.count == 2 }),
            let octets = [UInt8](hexadecimal: parts.joined().utf8)
        else { return nil }
        return octets.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func contents(of path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw SystemFailure(what: "open \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= Capture.maxLength {
            let count = buffer.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        guard ferror(file) == 0 else { throw SystemFailure(what: "read \(path)") }
        guard bytes.count <= Capture.maxLength else {
            throw ValidationError("\(path) is longer than \(Capture.maxLength) octets: cut it")
        }
        return bytes
    }
}
