import Testing

@testable import Agent

@Suite("The capabilities of the process")
struct ProcessCapabilitiesTests {
    @Test("CAP_NET_ADMIN is bit 12 of the effective set")
    func bit() {
        #expect(ProcessCapabilities(status: "CapPrm:\t0\nCapEff:\t0000000000001000\nCapBnd:\t0").mayAdminister)
        #expect(!ProcessCapabilities(status: "CapPrm:\t1000\nCapEff:\t0000000000002000\n").mayAdminister)
        #expect(!ProcessCapabilities(status: "").mayAdminister)
        #expect(!ProcessCapabilities(status: "CapEff:\tno number").mayAdminister)
    }
}
