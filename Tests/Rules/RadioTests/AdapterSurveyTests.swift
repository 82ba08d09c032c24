import Testing

@testable import Agent
@testable import Core

@Suite("Choosing an adapter")
struct AdapterSurveyTests {
    private func adapter(_ index: UInt16, address: UInt64 = 0, isUp: Bool = true, isBlocked: Bool = false) -> Adapter {
        Adapter(
            index: index, address: DeviceAddress(bits: address, type: .public), isUp: isUp, isBlocked: isBlocked)
    }

    private func survey(_ adapters: [Adapter], isPermitted: Bool = true, hasBlockedSwitch: Bool = false)
        -> AdapterSurvey
    {
        AdapterSurvey(adapters: adapters, isPermitted: isPermitted, hasBlockedSwitch: hasBlockedSwitch)
    }

    @Test("\"auto\" is the first adapter that is up and not blocked")
    func automatic() {
        let usable = adapter(2, address: 3)
        let all = survey([adapter(0, isUp: false), adapter(1, isBlocked: true), usable, adapter(3)])
        #expect(all.choose(.automatic) == .usable(usable))
    }

    @Test("\"auto\" stays with the adapter used before, as long as it is usable")
    func automaticStays() {
        let (first, second) = (adapter(0, address: 1), adapter(1, address: 2))
        #expect(survey([first, second]).choose(.automatic, known: second.address) == .usable(second))
        let down = adapter(1, address: 2, isUp: false)
        #expect(survey([first, down]).choose(.automatic, known: second.address) == .usable(first))
    }

    @Test("An adapter chosen by index is followed by its address when the kernel numbers it anew")
    func renumbered() {
        let (moved, newcomer) = (adapter(1, address: 7), adapter(0, address: 8))
        #expect(survey([newcomer, moved]).choose(.index(0), known: moved.address) == .usable(moved))
        #expect(survey([newcomer]).choose(.index(0), known: moved.address) == .usable(newcomer))
        #expect(survey([moved]).choose(.index(0)) == .obstacle(.absent, nil))
    }

    @Test("An adapter chosen by address is found under any index")
    func address() {
        let wanted = adapter(5, address: 0x001A_7DDA_7113)
        let address = DeviceAddress(bits: 0x001A_7DDA_7113, type: .public)
        #expect(survey([adapter(0, address: 1), wanted]).choose(.address(address)) == .usable(wanted))
        #expect(survey([adapter(0, address: 1)]).choose(.address(address)) == .obstacle(.absent, nil))
    }

    @Test("One adapter does not serve two choices")
    func taken() {
        let (first, second) = (adapter(0, address: 1), adapter(1, address: 2))
        #expect(survey([first, second]).choose(.automatic, taken: [0]) == .usable(second))
        #expect(survey([first]).choose(.automatic, taken: [0]) == .obstacle(.absent, nil))
    }

    @Test("The first obstacle is named first: permission, then the kill switch, then power")
    func obstacles() {
        let dark = adapter(0, isUp: false, isBlocked: true)
        #expect(survey([dark], isPermitted: false).choose(.automatic) == .obstacle(.unauthorized, dark))
        #expect(survey([dark]).choose(.automatic) == .obstacle(.blocked, dark))
        let down = adapter(0, isUp: false)
        #expect(survey([down]).choose(.automatic) == .obstacle(.off, down))
    }

    @Test("A kill switch that removed the adapter is named, and not the missing adapter")
    func vanished() {
        #expect(survey([], hasBlockedSwitch: true).choose(.automatic) == .obstacle(.blocked, nil))
        #expect(survey([]).choose(.automatic) == .obstacle(.absent, nil))
    }
}
