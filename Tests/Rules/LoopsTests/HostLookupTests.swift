import Glibc
import Testing

@testable import Agent

@Suite("A host's addresses")
struct HostLookupTests {
    private func outcome(_ host: String, port: UInt16 = 0) throws -> HostLookup.Outcome? {
        let lookup = try HostLookup(host: host, port: port)
        var polled = pollfd(fd: lookup.descriptor, events: Int16(POLLIN), revents: 0)
        // The time that a machine with silent name servers takes.
        #expect(poll(&polled, 1, 300_000) == 1)
        return lookup.outcome()
    }

    @Test("An address of either family is its own result, with the requested port", arguments: ["127.0.0.1", "::1"])
    func numeric(_ host: String) throws {
        guard case .found(let addresses) = try outcome(host, port: 0x0B83) else {
            Issue.record("an address is found")
            return
        }
        #expect(addresses.map(\.family) == [host == "::1" ? AF_INET6 : AF_INET])
        #expect(addresses.first?.octets[2...3] == [0x0B, 0x83])
    }

    @Test("An unknown host fails with the resolver's words")
    func missing() throws {
        guard case .failed(let reason, _) = try outcome("no-such-host.invalid") else {
            Issue.record("there is no such host")
            return
        }
        #expect(!reason.isEmpty)
    }
}
