import CMosquitto
import Glibc

/// The traces of a failed connection in libmosquitto, and their meaning.
struct MosquittoFailure {
    /// A `mosq_err_t`, or the broker's reason from a DISCONNECT (0x80 and above).
    var code: Int32
    /// The `errno` after the call.
    var number: Int32
    var refusal: ReasonCode?
    /// The part of a login that the settings leave out, where no certificate takes its place.
    var missing: ConnectionFailure.Credential?
    var errorLines: [String]
    var host: String
    var port: UInt16
    /// True if a CONNACK had accepted the login.
    var wasConnected: Bool

    var interpreted: ConnectionFailure {
        if let refusal {
            let isOfLogin = [.badUserNameOrPassword, .notAuthorized].contains(refusal)
            return missing.flatMap { isOfLogin ? .loginMissing($0, refusal) : nil } ?? .refused(refusal)
        }
        if code >= 0x80, let reason = UInt8(exactly: code) { return .disconnected(ReasonCode(rawValue: reason)) }
        if let failure = tlsFailure { return failure }
        switch mosq_err_t(rawValue: code) {
        case MOSQ_ERR_NOMEM: return .machineAtItsLimit(detail: libraryText)
        case MOSQ_ERR_ERRNO where ConnectionFailure.isLimit(number):
            return .machineAtItsLimit(detail: systemText(number))
        case MOSQ_ERR_EAI: return .hostNotFound(host: host, detail: String(cString: gai_strerror(number)))
        case MOSQ_ERR_KEEPALIVE: return .keepaliveExpired
        case MOSQ_ERR_CONN_LOST, MOSQ_ERR_SUCCESS: return closed
        case MOSQ_ERR_ERRNO where number == 0: return closed
        // A peer that closes with unread octets sends a reset: a broker that closes while the agent publishes.
        case MOSQ_ERR_ERRNO where wasConnected && (number == ECONNRESET || number == EPIPE): return closed
        // libmosquitto's code for a TLS stream that ended, where OpenSSL had no text.
        case MOSQ_ERR_ERRNO where number == EPROTO:
            return wasConnected ? .closedByBroker : .handshakeEnded
        case MOSQ_ERR_ERRNO: return .unreachable(host: host, port: port, detail: systemText(number))
        case MOSQ_ERR_TLS: return .tls(detail: "handshake failed")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_DUPLICATE_PROPERTY:
            return .brokenProtocol(host: host, port: port, detail: libraryText)
        default: return .library(call: "connection", detail: libraryText)
        }
    }

    /// The failure for a file of the agent's that OpenSSL did not take. libmosquitto names the file in the line before,
    /// in quotation marks, except for a key that belongs to another certificate.
    private func unusableFile(_ detail: String) -> ConnectionFailure? {
        let names = [
            ("ca_file", "Error: Unable to load CA certificates"),
            ("cert_file", "Error: Unable to load client certificate"),
            ("key_file", "Error: Unable to load client key file"),
        ]
        for line in errorLines {
            guard let (key, _) = names.first(where: { line.hasPrefix($0.1) }) else { continue }
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard parts.count > 2 else { continue }
            return .fileUnusable(key: key, path: parts.dropFirst().dropLast().joined(separator: "\""), detail: detail)
        }
        return nil
    }

    /// libmosquitto's text for the code, without the full stop that some texts have.
    private var libraryText: String {
        let text = String(cString: mosquitto_strerror(code))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private var closed: ConnectionFailure {
        wasConnected ? .closedByBroker : .closedBeforeLogin(host: host, port: port)
    }

    /// The cause of a TLS failure, which only libmosquitto's log holds:
    ///
    ///     Error: host name verification failed.
    ///     OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed
    private var tlsFailure: ConnectionFailure? {
        if errorLines.contains(where: { $0.hasPrefix("Error: host name verification failed") }) {
            return .certificateForAnotherHost(host: host)
        }
        guard let line = errorLines.first(where: { $0.hasPrefix("OpenSSL Error") }) else { return nil }
        let detail = line.split(separator: ":").last.map(String.init) ?? line
        if let unusable = unusableFile(detail) { return unusable }
        // A broker that goes without closing TLS first, as every killed broker does.
        if detail == "unexpected eof while reading" { return closed }
        return detail == "certificate verify failed" ? .certificateUntrusted(detail: detail) : .tls(detail: detail)
    }
}

extension ConnectionFailure {
    /// Returns whether the system's error number means that this process, or the machine, is at a limit.
    static func isLimit(_ number: Int32) -> Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(number) }
}

/// The system's text for an error number: `Connection refused`.
func systemText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
