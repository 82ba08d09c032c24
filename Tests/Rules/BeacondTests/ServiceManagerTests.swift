import Glibc
import Testing

@testable import Core
@testable import beacond

/// A service manager's end of the notification socket.
private struct Listener: ~Copyable {
    let descriptor: Int32
    /// The address, in the form of `$NOTIFY_SOCKET`.
    let address: String

    init(address: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let octets = Array((address.hasPrefix("@") ? "\0" + address.dropFirst() : address).utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: octets) }
        let length = 2 + octets.count + (address.hasPrefix("@") ? 0 : 1)
        let status = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
        }
        try #require(status == 0)
        self.init(descriptor: descriptor, address: address)
    }

    private init(descriptor: Int32, address: String) {
        self.descriptor = descriptor
        self.address = address
    }

    deinit {
        close(descriptor)
        unlink(address)
    }

    /// Returns the content of the next datagram, without waiting.
    func hear() -> String? {
        var octets = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &octets, octets.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: octets.prefix(count), as: UTF8.self)
    }
}

@Suite("The service manager is notified of the agent's condition")
struct ServiceManagerTests {
    @Test("A socket with a path, and one in the abstract namespace, get one datagram per notice")
    func bothNamespaces() throws {
        for address in ["/tmp/beacond-notify-\(getpid())", "@beacond-notify-\(getpid())"] {
            let listener = try Listener(address: address)
            #expect(ServiceManager(address: address).notify(.ready))
            #expect(listener.hear() == "READY=1")
            #expect(listener.hear() == nil)
        }
    }

    @Test("A reload contains its start time, as systemd requires")
    func reloading() {
        let notice = ServiceNotice.reloading(at: Instant(microseconds: 12_345_678))
        #expect(notice.text == "RELOADING=1\nMONOTONIC_USEC=12345678")
    }

    @Test("A line break in a status cannot inject another field")
    func statusIsOneLine() {
        #expect(ServiceNotice.status("bad\nSTOPPING=1").text == "STATUS=bad STOPPING=1")
        #expect(ServiceNotice.status(String(repeating: "x", count: 9_000)).text.utf8.count == 7 + 512)
    }

    @Test("Without a manager, or after its end, no notice is sent and nothing fails")
    func nobodyListens() {
        let tooLong = "/" + String(repeating: "n", count: 200)
        for address in [nil, "", "relative", "vsock:2:1234", "/nonexistent/notify", "@", tooLong] {
            #expect(!ServiceManager(address: address).notify(.alive))
        }
    }

    @Test("A watchdog is fed only where one is set for this process and there is a manager")
    func patience() {
        #expect(ServiceManager(address: "/run/n", watchdog_us: "2000000").patience_us == 2_000_000)
        #expect(ServiceManager(address: "/run/n").patience_us == nil)
        #expect(ServiceManager(address: nil, watchdog_us: "2000000").patience_us == nil)
        #expect(ServiceManager(address: "/run/n", watchdog_us: "soon").patience_us == nil)
        #expect(ServiceManager(address: "/run/n", watchdog_us: "0").patience_us == nil)
        let own = ServiceManager(address: "/run/n", watchdog_us: "9", watchdogProcess: "17", process: 17)
        let other = ServiceManager(address: "/run/n", watchdog_us: "9", watchdogProcess: "17", process: 18)
        #expect(own.patience_us == 9)
        #expect(other.patience_us == nil)
    }
}
