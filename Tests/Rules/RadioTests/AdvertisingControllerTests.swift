import Testing

@testable import Agent
@testable import Core

@Suite("Keeping an advertisement on the air")
struct AdvertisingControllerTests {
    private let adapter = Adapter.hci0
    private let start = Instant(microseconds: 1_000_000)

    private func answer(_ step: AdvertisingStep, _ status: HCIStatus = .success) -> CommandOutcome {
        CommandOutcome(commandCredits: 1, opcode: step.opcode, status: status)
    }

    /// Returns a controller that advertises with the legacy commands, or with the extended ones.
    private func advertising(_ features: LEFeatures = []) -> AdvertisingController {
        var controller = AdvertisingController()
        _ = controller.start(at: start)
        _ = controller.surveyed(.usable(adapter), at: start)
        var actions = controller.opened(at: start)
        while case .send(let step) = actions.first {
            actions = controller.commandCompleted(answer(step), features: features, at: start)
        }
        #expect(actions == [.report(.advertising(adapter))])
        return controller
    }

    @Test("Without an adapter the reason is announced once, and the controller looks again every second")
    func waiting() {
        var controller = AdvertisingController()
        #expect(controller.start(at: start) == [.look])
        #expect(controller.surveyed(.obstacle(.off, adapter), at: start) == [.report(.waiting(.off))])
        #expect(controller.nextDeadline == start + .seconds(1))
        #expect(controller.tick(at: start + .seconds(1)) == [.look])
        #expect(controller.surveyed(.obstacle(.off, adapter), at: start + .seconds(1)) == [])
        #expect(controller.deviceChanged(DeviceEvent(change: .up, index: 0), at: start + .seconds(1)) == [.look])
        #expect(controller.surveyed(.usable(adapter), at: start + .seconds(1)) == [.open(adapter)])
    }

    @Test("When stopped, it is off the air before the socket is closed")
    func stopLegacy() {
        var controller = advertising()
        #expect(controller.stop(at: start) == [.send(.disable(.legacy))])
        #expect(!controller.isIdle)
        #expect(controller.commandCompleted(answer(.disable(.legacy)), features: nil, at: start) == [.close])
        #expect(controller.isIdle)
    }

    @Test("When stopped, it also removes an extended set")
    func stopExtended() {
        var controller = advertising(.extendedAdvertising)
        #expect(controller.stop(at: start) == [.send(.disable(.extended))])
        #expect(
            controller.commandCompleted(answer(.disable(.extended)), features: nil, at: start) == [.send(.removeSet)])
        #expect(controller.commandCompleted(answer(.removeSet), features: nil, at: start) == [.close])
        #expect(controller.isIdle)
    }

    @Test("When stopped during the start, it switches off the advertisement that may be on already")
    func stopWhileConfiguring() {
        var controller = AdvertisingController()
        _ = controller.start(at: start)
        _ = controller.surveyed(.usable(adapter), at: start)
        _ = controller.opened(at: start)
        _ = controller.commandCompleted(answer(.readFeatures), features: [], at: start)
        #expect(controller.stop(at: start) == [.send(.disable(.legacy))])
    }

    @Test("A controller that does not answer does not delay the stop")
    func stopUnanswered() {
        var controller = advertising()
        _ = controller.stop(at: start)
        #expect(controller.tick(at: controller.nextDeadline) == [.close])
        #expect(controller.isIdle)
    }

    @Test("After a reset by another process it advertises again once the resets have ended")
    func reset() {
        var controller = advertising()
        #expect(controller.disturbed(at: start) == [.report(.trouble(.disturbed))])
        let rested = controller.nextDeadline
        #expect(rested == start + ForeignActivity.rest)
        #expect(controller.tick(at: rested) == [.send(.readFeatures)])
    }

    @Test("After repeated disturbances it waits twice as long each time, at most half a minute")
    func fight() {
        var controller = advertising()
        var now = start
        var rests: [TimeSpan] = []
        for _ in 0..<10 {
            _ = controller.disturbed(at: now)
            rests.append(controller.nextDeadline - now)
            now = controller.nextDeadline
            var actions = controller.tick(at: now)
            while case .send(let step) = actions.first {
                actions = controller.commandCompleted(answer(step), features: [], at: now)
            }
        }
        #expect(rests.prefix(3) == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(rests.last == .seconds(30))
        _ = controller.disturbed(at: now + .seconds(60))
        #expect(controller.nextDeadline == now + .seconds(60) + ForeignActivity.rest)
    }

    @Test("A refusal is logged once and retried every ten seconds")
    func refused() {
        var controller = AdvertisingController()
        _ = controller.start(at: start)
        _ = controller.surveyed(.usable(adapter), at: start)
        func attempt(_ first: [AdvertisingController.Action], at now: Instant) -> [AdvertisingController.Action] {
            var actions = first
            while case .send(let step) = actions.first {
                let status: HCIStatus = step == .readFeatures ? .success : .unknownCommand
                actions = controller.commandCompleted(answer(step, status), features: [], at: now)
            }
            return actions
        }
        let opcode = Opcode.advertisingParameters(.extended)
        #expect(
            attempt(controller.opened(at: start), at: start)
                == [.report(.trouble(.refused(opcode, .unknownCommand)))])
        let next = controller.nextDeadline
        #expect(next == start + .seconds(10))
        #expect(attempt(controller.tick(at: next), at: next) == [])
    }

    @Test("An unplugged adapter is waited for, and the advertisement begins again with it")
    func unplugged() {
        var controller = advertising()
        #expect(
            controller.deviceChanged(DeviceEvent(change: .unregistered, index: 0), at: start) == [.close, .look])
        #expect(controller.surveyed(.obstacle(.absent, nil), at: start) == [.report(.waiting(.absent))])
        #expect(controller.deviceChanged(DeviceEvent(change: .up, index: 1), at: start) == [.look])
        #expect(controller.surveyed(.usable(adapter), at: start) == [.open(adapter)])
    }

    @Test("Another adapter's events are ignored")
    func otherAdapter() {
        var controller = advertising()
        #expect(controller.deviceChanged(DeviceEvent(change: .down, index: 3), at: start) == [])
    }
}

@Suite("Commands of other processes that touch an advertisement")
struct ForeignAdvertisingTests {
    private func disturbs(_ command: HCICommand, _ family: CommandFamily) -> Bool {
        disturbs(command.packet, family)
    }

    private func disturbs(_ packet: [UInt8], _ family: CommandFamily) -> Bool {
        ForeignAdvertising.disturbs(packet.span, family: family, handle: 0xEF)
    }

    @Test("A reset ends the advertisement, of either family", arguments: [CommandFamily.legacy, .extended])
    func reset(family: CommandFamily) {
        #expect(disturbs([0x01, 0x03, 0x0C, 0x00], family))
    }

    @Test("There is one legacy advertisement, so every command about it concerns the agent's")
    func legacy() throws {
        #expect(disturbs(HCICommand.advertisingEnable(.legacy, handle: 0, true), .legacy))
        #expect(disturbs(try #require(HCICommand.advertisingData(.legacy, handle: 0, [])), .legacy))
        #expect(!disturbs(ScanEnable(true).command(.legacy), .legacy))
    }

    @Test("Other sets belong to other processes; commands about all sets concern the agent's too")
    func extended() throws {
        #expect(!disturbs(HCICommand.advertisingEnable(.extended, handle: 1, false), .extended))
        let allSets: [UInt8] = [0x01, 0x39, 0x20, 0x02, 0x00, 0x00]
        #expect(disturbs(allSets, .extended))
        #expect(!disturbs(HCICommand.removeAdvertisingSet(handle: 1), .extended))
        #expect(disturbs(HCICommand.removeAdvertisingSet(handle: 0xEF), .extended))
    }

    @Test("A truncated command disturbs nothing and traps nothing")
    func short() {
        for packet: [UInt8] in [[], [0x01], [0x01, 0x39, 0x20], [0x01, 0x39, 0x20, 0x00], [0x01, 0x36, 0x20, 0x00]] {
            #expect(!disturbs(packet, .extended))
        }
    }
}
