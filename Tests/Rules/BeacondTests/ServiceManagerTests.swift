import Glibc
import Testing

@testable import Core
@testable import beacond

/// A service manager's end of the notification socket.
private struct Listener: ~Copyable {
    let descriptor: Int32
    /// As `$NOTIFY_SOCKET` says it.
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

    /// What the next datagram says, without waiting for one.
    func hear() -> String? {
        var octets = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &octets, octets.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: octets.prefix(count), as: UTF8.self)
    }
}

@Suite("The service manager is told how the agent is doing")
struct ServiceManagerTests {
    @Test("A socket with a path, and one in the abstract namespace, get one datagram a notice")
    func bothNamespaces() throws {
        for address in ["/tmp/beacond-notify-\(getpid())", "@beacond-notify-\(getpid())"] {
            let listener = try Listener(address: address)
            #expect(ServiceManager(address: address).tell(.ready))
            #expect(listener.hear() == "READY=1")
            #expect(listener.hear() == nil)
        }
    }

    @Test("A reload names the time at which it began, as systemd asks")
    func reloading() {
        let notice = ServiceNotice.reloading(at: Instant(microseconds: 12_345_678))
        #expect(notice.text == "RELOADING=1\nMONOTONIC_USEC=12345678")
    }

    @Test("A line break in a status cannot say anything else to the manager")
    func statusIsOneLine() {
        #expect(ServiceNotice.status("bad\nSTOPPING=1").text == "STATUS=bad STOPPING=1")
        #expect(ServiceNotice.status(String(repeating: "x", count: 9_000)).text.utf8.count == 7 + 512)
    }

    @Test("Without a manager, or with one that is gone, nothing is told and nothing breaks")
    func nobodyListens() {
        let tooLong = "/" + String(repeating: "n", count: 200)
        for address in [nil, "", "relative", "vsock:2:1234", "/nonexistent/notify", "@", tooLong] {
            #expect(!ServiceManager(address: address).tell(.alive))
        }
    }

    @Test("A watchdog is fed only where one is set, for this process, and there is somebody to tell")
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
