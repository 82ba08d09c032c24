import Glibc
import Synchronization

/// Resolves a host name on a thread of its own. getaddrinfo may block for as long as the name servers are silent, and
/// the loop that asks has other work meanwhile.
final class HostLookup {
    /// An address as the kernel takes it, with its port.
    struct Address: Hashable, Sendable {
        /// A `sockaddr_in` or `sockaddr_in6`.
        let octets: [UInt8]
        /// `AF_INET` or `AF_INET6`.
        let family: Int32
    }

    enum Outcome: Equatable, Sendable {
        /// In the order in which the system wants them tried; at most `maxAddresses`.
        case found([Address])
        /// The resolver's text, and the system's error number; 0 where it has none.
        case failed(String, number: Int32)
    }

    /// The most addresses of a host that are kept.
    static let maxAddresses = 8

    /// The state that the thread and its owner share; the last one releases it.
    private final class Errand: Sendable {
        let bell: Doorbell
        let outcome = Mutex<Outcome?>(nil)

        init(bell: Doorbell) { self.bell = bell }
    }

    private let errand: Errand

    /// Starts at once. A lookup that is released before its outcome is there ends by itself.
    ///
    /// - Throws: `SystemError` where the system gives no thread or descriptor.
    init(host: String, port: UInt16 = 0) throws(SystemError) {
        let errand = Errand(bell: try Doorbell())
        // The thread is never joined: it may take as long as the name servers do.
        _ = try WorkerThread {
            let outcome = HostLookup.resolve(host, port)
            errand.outcome.withLock { $0 = outcome }
            errand.bell.ring()
        }
        self.errand = errand
    }

    /// Becomes readable once there is an outcome.
    var descriptor: Int32 { errand.bell.descriptor }

    /// The outcome; `nil` while the lookup is under way.
    func outcome() -> Outcome? { errand.outcome.withLock(\.self) }

    private static func resolve(_ host: String, _ port: UInt16) -> Outcome {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0 else {
            let number = code == EAI_SYSTEM ? errno : code == EAI_MEMORY ? ENOMEM : 0
            return .failed(String(cString: gai_strerror(code)), number: number)
        }
        defer { freeaddrinfo(list) }
        var addresses: [Address] = []
        var next = list
        while let entry = next, addresses.count < maxAddresses {
            let octets = UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            addresses.append(Address(octets: Array(octets), family: entry.pointee.ai_family))
            next = entry.pointee.ai_next
        }
        return .found(addresses)
    }
}
