import Glibc

/// Resolves the broker's host name on a thread of its own, because getaddrinfo may block for as long as the name
/// servers are silent, and the delivery loop has a disk to write meanwhile.
///
/// libmosquitto resolves once more when it connects; by then the answer is known to be there.
final class HostLookup {
    enum Outcome: Equatable {
        case found(hasIPv4: Bool, hasIPv6: Bool)
        /// The resolver's text, and the system's error number, 0 where it is none.
        case failed(String, number: Int32)
    }

    /// Readable once there is an outcome.
    let descriptor: Int32

    /// `nil` where the system gives no socket or thread.
    init?(host: String) {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0, let near = pair.first, let far = pair.last else { return nil }
        let errand = Unmanaged.passRetained(Errand(host: host, descriptor: far))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { HostLookup.run($0) }, errand.toOpaque())
        guard code == 0 else {
            errand.release()
            close(near)
            close(far)
            return nil
        }
        pthread_detach(thread)
        descriptor = near
    }

    deinit {
        close(descriptor)
    }

    /// `nil` while it is under way.
    func outcome() -> Outcome? {
        var answer = Answer()
        let count = withUnsafeMutableBytes(of: &answer) { bytes in
            recv(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
        }
        guard count >= 0 else { return nil }
        guard count == MemoryLayout<Answer>.size else { return .failed("the lookup was cut short", number: 0) }
        guard answer.code == 0 else {
            return .failed(String(cString: gai_strerror(answer.code)), number: answer.number)
        }
        return .found(hasIPv4: answer.hasIPv4, hasIPv6: answer.hasIPv6)
    }

    /// What the thread takes with it; it is the thread's alone.
    private final class Errand {
        let host: String
        let descriptor: Int32

        init(host: String, descriptor: Int32) {
            self.host = host
            self.descriptor = descriptor
        }
    }

    private struct Answer {
        var code: Int32 = 0
        var number: Int32 = 0
        var hasIPv4 = false
        var hasIPv6 = false
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let errand = Unmanaged<Errand>.fromOpaque(context).takeRetainedValue()
        var answer = resolve(errand.host)
        _ = withUnsafeBytes(of: &answer) { bytes in
            send(errand.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        close(errand.descriptor)
        return nil
    }

    private static func resolve(_ host: String) -> Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        var answer = Answer(code: getaddrinfo(host, nil, &hints, &list))
        guard answer.code == 0 else {
            answer.number = answer.code == EAI_SYSTEM ? errno : answer.code == EAI_MEMORY ? ENOMEM : 0
            return answer
        }
        var next = list
        while let entry = next {
            answer.hasIPv4 = answer.hasIPv4 || entry.pointee.ai_family == AF_INET
            answer.hasIPv6 = answer.hasIPv6 || entry.pointee.ai_family == AF_INET6
            next = entry.pointee.ai_next
        }
        freeaddrinfo(list)
        return answer
    }
}
