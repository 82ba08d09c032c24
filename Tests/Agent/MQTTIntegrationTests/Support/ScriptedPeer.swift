import Foundation
import Loopback

/// A listener that answers every connection with the same bytes: for packets that the installed broker never sends.
final class ScriptedPeer {
    let port: UInt16
    private(set) var connections = 0
    private let listener: Int32
    private var accepted: [Int32] = []

    init() throws {
        port = try freePort()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = loopback(port: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, listen(listener, 8) == 0 else { throw TestFailure(description: "listen: errno \(errno)") }
    }

    deinit {
        for descriptor in accepted + [listener] { close(descriptor) }
    }

    /// Accepts the waiting connections, if any, and sends them `bytes`.
    func answer(_ bytes: [UInt8]) {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        connections += 1
        accepted.append(descriptor)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
