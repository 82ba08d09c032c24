import Testing

@testable import Core
@testable import VirtualController

@Suite("The virtual controller answers commands as a real one does")
struct ControllerStateTests {
    private let scan = ScanTiming(interval: 96, window: 48)
    private let on = ScanEnable(true).command(.legacy)
    private let off = ScanEnable(false).command(.legacy)
    private let extendedOn = ScanEnable(true).command(.extended)

    private func controller(extended: Bool = false) -> ControllerState {
        let address = DeviceAddress(bits: 0x001B_DC00_0001, type: .public)
        return ControllerState(identity: ControllerIdentity(address: address, hasExtendedAdvertising: extended))
    }

    private func packet(_ command: HCICommand) -> CommandPacket {
        CommandPacket(opcode: command.opcode, parameters: command.parameters)
    }

    /// The status that the host reads in the answer; `nil` where there is none.
    private func status(_ actions: [ControllerState.Action]) -> HCIStatus? {
        for case .send(let event) in actions {
            return CommandOutcome(eventCode: event[0], parameters: event.span.extracting(2...))?.status
        }
        return nil
    }

    private func lines(_ actions: [ControllerState.Action]) -> [String] {
        actions.compactMap { if case .say(let line) = $0 { line } else { nil } }
    }

    @Test("Every command that Linux sends while it initialises succeeds", arguments: KnownCommand.allCases)
    func initialisation(command: KnownCommand) {
        // The scanner's commands have checked parameters, and are tested below.
        let checked: [KnownCommand] = [
            .leSetScanParameters, .leSetScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
        ]
        if checked.contains(command) { return }
        var controller = controller(extended: true)
        let answer = controller.receive(CommandPacket(opcode: Opcode(rawValue: command.rawValue), parameters: []))
        #expect(status(answer) == .success)
    }

    @Test("A controller without extended advertising doesn't know its commands")
    func withoutExtendedAdvertising() {
        var controller = controller()
        #expect(status(controller.receive(packet(extendedOn))) == .unknownCommand)
        #expect(controller.scan == nil)
        #expect(status(controller.receive(packet(on))) == .success)
        #expect(controller.scan == Scan(family: .legacy, filtersDuplicates: false))
    }

    @Test("A command without an implementation is unknown")
    func unknown() {
        var controller = controller(extended: true)
        let answer = controller.receive(CommandPacket(opcode: Opcode(rawValue: 0xFC01), parameters: [1, 2, 3]))
        #expect(status(answer) == .unknownCommand)
    }

    @Test("The beginning and the end of scanning are each reported once")
    func scanning() {
        var controller = controller()
        #expect(lines(controller.receive(packet(on))) == ["SCAN 1 legacy"])
        #expect(lines(controller.receive(packet(on))) == [])
        #expect(lines(controller.receive(packet(off))) == ["SCAN 0"])
        #expect(lines(controller.receive(packet(off))) == [])
        #expect(controller.scan == nil)
    }

    @Test("Enabling a scan again with another duplicate filter changes the filter")
    func duplicateFilter() {
        var controller = controller(extended: true)
        _ = controller.receive(packet(extendedOn))
        _ = controller.receive(packet(ScanEnable(true, filtersDuplicates: true).command(.extended)))
        #expect(controller.scan == Scan(family: .extended, filtersDuplicates: true))
    }

    @Test("Scan parameters are refused while scanning is on")
    func parametersWhileScanning() {
        var controller = controller()
        let parameters = packet(HCICommand.scanParameters(.legacy, .passive, scan))
        #expect(status(controller.receive(parameters)) == .success)
        _ = controller.receive(packet(on))
        #expect(status(controller.receive(parameters)) == .commandDisallowed)
        _ = controller.receive(packet(off))
        #expect(status(controller.receive(parameters)) == .success)
    }

    @Test("Scan parameters that the specification does not allow are invalid")
    func invalidScan() {
        let tooLong = ScanTiming(interval: 48, window: 96)
        let wrong = HCICommand.scanParameters(.legacy, .passive, tooLong)
        var legacy = controller()
        #expect(status(legacy.receive(packet(wrong))) == .invalidParameters)
        let extendedWrong = HCICommand.scanParameters(.extended, .passive, tooLong)
        var extended = controller(extended: true)
        #expect(status(extended.receive(packet(extendedWrong))) == .invalidParameters)
        let right = HCICommand.scanParameters(.extended, .active, scan)
        #expect(status(extended.receive(packet(right))) == .success)
    }

    @Test(
        "Reserved and missing parameters are invalid",
        arguments: [[], [0x01], [0x02, 0x00], [0x01, 0x02]] as [[UInt8]])
    func invalidParameters(parameters: [UInt8]) {
        var controller = controller()
        let answer = controller.receive(CommandPacket(opcode: Opcode.scanEnable(.legacy), parameters: parameters))
        #expect(status(answer) == .invalidParameters)
        #expect(controller.scan == nil)
    }

    @Test("After a command of one family the other is refused until a reset")
    func families() {
        var controller = controller(extended: true)
        _ = controller.receive(packet(extendedOn))
        #expect(status(controller.receive(packet(on))) == .commandDisallowed)
        let reset = controller.receive(CommandPacket(opcode: .reset, parameters: []))
        #expect(lines(reset) == ["SCAN 0"])
        #expect(status(controller.receive(packet(on))) == .success)
    }

    @Test("A controller without power forgets its scan")
    func powerOff() {
        var controller = controller()
        _ = controller.receive(packet(on))
        controller.powerOff()
        #expect(controller.scan == nil)
    }

    @Test("A muted controller answers nothing and does nothing")
    func muted() {
        var controller = controller()
        controller.mute(nil)
        #expect(controller.receive(packet(on)) == [])
        #expect(controller.scan == nil)
        controller.unmute()
        #expect(status(controller.receive(packet(on))) == .success)
    }

    @Test("One muted command hangs alone")
    func mutedCommand() {
        var controller = controller()
        controller.mute(Opcode.scanEnable(.legacy))
        #expect(controller.receive(packet(on)) == [])
        #expect(status(controller.receive(CommandPacket(opcode: .reset, parameters: []))) == .success)
    }

    @Test("A command that is made to fail does so until that is revoked")
    func failures() {
        var controller = controller()
        controller.fail(Opcode.scanEnable(.legacy), with: .hardwareFailure)
        #expect(status(controller.receive(packet(on))) == .hardwareFailure)
        #expect(controller.scan == nil)
        controller.fail(Opcode.scanEnable(.legacy), with: .success)
        #expect(status(controller.receive(packet(on))) == .success)
    }

    @Test("The host's advertisement is reported, so that a job can check it")
    func advertising() throws {
        var controller = controller()
        let data = try #require(HCICommand.advertisingData(.legacy, handle: 0, [0x02, 0x01, 0x06]))
        let line = try #require(lines(controller.receive(packet(data))).first)
        #expect(line.hasPrefix("ADVERTISE 0x2008 03020106"))
    }

    @Test("The parameters of a running advertisement cannot be changed, until it is off or the controller is reset")
    func advertisingParameters() {
        var legacy = controller()
        let parameters = HCICommand.advertisingParameters(.legacy, handle: 0, interval: 160)
        #expect(status(legacy.receive(packet(HCICommand.advertisingEnable(.legacy, handle: 0, true)))) == .success)
        #expect(status(legacy.receive(packet(parameters))) == .commandDisallowed)
        #expect(status(legacy.receive(packet(HCICommand.advertisingEnable(.legacy, handle: 0, false)))) == .success)
        #expect(status(legacy.receive(packet(parameters))) == .success)

        var extended = controller(extended: true)
        let on = HCICommand.advertisingEnable(.extended, handle: 3, true)
        #expect(status(extended.receive(packet(on))) == .success)
        #expect(status(extended.receive(packet(HCICommand.removeAdvertisingSet(handle: 3)))) == .commandDisallowed)
        #expect(status(extended.receive(packet(HCICommand.removeAdvertisingSet(handle: 4)))) == .success)
        #expect(status(extended.receive(CommandPacket(opcode: .reset, parameters: []))) == .success)
        #expect(status(extended.receive(packet(HCICommand.removeAdvertisingSet(handle: 3)))) == .success)
    }
}
