/// The reason why there is no connection to the broker. It never holds a password or a key.
package enum ConnectionFailure: Error, Hashable, Sendable {
    /// `detail` is the resolver's text.
    case hostNotFound(host: String, detail: String)
    /// This machine has no files or memory left. `detail` is the system's text.
    case machineAtItsLimit(detail: String)
    /// No TCP connection: refused, no route, reset. `detail` is the system's text.
    case unreachable(host: String, port: UInt16, detail: String)
    /// The broker, or a machine on the way to it, did not answer in time.
    case connectTimedOut(host: String, port: UInt16)
    /// The broker's certificate is trusted but was issued for another name.
    case certificateForAnotherHost(host: String)
    /// The broker's certificate chain does not verify.
    case certificateUntrusted(detail: String)
    /// Any other end of the TLS handshake or stream; `detail` is OpenSSL's text.
    case tls(detail: String)
    /// A file that `[mqtt]` names cannot be read or used. `key` is the key in `config.toml`.
    case fileUnusable(key: String, path: String, detail: String)
    case password(PasswordError)
    /// The certificate's file has that of another gateway or store: the broker would take this agent for it. Names are SITE/ID.
    case certificateOfAnother(path: String, name: String, own: String)
    /// The broker's CONNACK refused the login.
    case refused(ReasonCode)
    /// The broker's CONNACK refused a login that lacked a part.
    case loginMissing(Credential, ReasonCode)
    /// The broker ended an established connection, with its reason (MQTT 5).
    case disconnected(ReasonCode)
    /// The peer accepted the TCP connection and closed it before the login was answered.
    case closedBeforeLogin(host: String, port: UInt16)
    /// The peer violates MQTT; `detail` is libmosquitto's text.
    case brokenProtocol(host: String, port: UInt16, detail: String)
    /// The broker's end closed without a reason.
    case closedByBroker
    /// The broker sent nothing, not even a PINGRESP, for one and a half times the keepalive.
    case keepaliveExpired
    /// A PUBACK did not come in time although the connection seemed alive.
    case acknowledgementOverdue
    /// A call of libmosquitto failed; `detail` is its text.
    case library(call: String, detail: String)

    package enum Credential: String, Hashable, Sendable {
        case username, password
    }
}

extension ConnectionFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .hostNotFound(let host, let detail): "broker host \(host) not found: \(detail)"
        case .machineAtItsLimit(let detail): "no connection to the broker is possible: \(detail)"
        case .unreachable(let host, let port, let detail): "broker \(host) port \(port) unreachable: \(detail)"
        case .connectTimedOut(let host, let port): "broker \(host) port \(port) did not answer in time"
        case .certificateForAnotherHost(let host): "TLS refused: the broker's certificate is not for \(host)"
        case .certificateUntrusted(let detail): "TLS refused: the broker's certificate does not verify (\(detail))"
        case .tls(let detail):
            TLSRemedy.refusal(detail).map { "TLS refused by the broker: \($0)" } ?? "TLS failed: \(detail)"
        case .fileUnusable(let key, let path, let detail): "mqtt.\(key) \(path): \(detail)"
        case .password(let error): error.description
        case .certificateOfAnother(let path, let name, let own):
            "mqtt.cert_file \(path) is now the certificate of \(name), and this agent publishes as \(own)"
        case .refused(let reason): "the broker refused the login: \(reason)"
        case .loginMissing(let missing, let reason):
            "the broker refused the login, and no \(missing.rawValue) is set: \(reason)"
        case .disconnected(.sessionTakenOver): "another agent uses this gateway's id: \(ReasonCode.sessionTakenOver)"
        case .disconnected(let reason): "the broker ended the connection: \(reason)"
        case .closedBeforeLogin(let host, let port): "broker \(host) port \(port) hung up before the login was answered"
        case .brokenProtocol(let host, let port, let detail):
            "broker \(host) port \(port) does not speak MQTT as it should (\(detail))"
        case .closedByBroker: "the broker closed the connection"
        case .keepaliveExpired: "the broker fell silent for the keepalive time"
        case .acknowledgementOverdue: "the broker did not acknowledge a message in time"
        case .library(let call, let detail): "\(call): \(detail)"
        }
    }
}

extension ConnectionFailure {
    private static let otherPort =
        "check the port in mqtt.url and the firewall; mqtts:// needs the broker's TLS port, mqtt:// its plain one"

    /// A remedy for the operator, on one line.
    package var remedy: String {
        switch self {
        case .hostNotFound: "check the host in mqtt.url and this machine's name servers"
        case .machineAtItsLimit:
            "allow more open files, threads and memory: ulimit, or LimitNOFILE=, TasksMax= and LimitAS= of the service"
        case .unreachable: "check host and port in mqtt.url, the firewall, and that the broker runs"
        case .connectTimedOut: Self.otherPort
        // A broker's reason against a certificate may be lost as the connection ends.
        case .closedBeforeLogin: Self.otherPort + "; a broker also hangs up on an mqtt.cert_file that it has revoked"
        case .certificateForAnotherHost: "write the name that is in the broker's certificate into mqtt.url"
        case .certificateUntrusted:
            "put the root authority into mqtt.ca_file, not an intermediate one; the broker's certfile holds its certificate "
                + "and after it the intermediate ones; check its dates and this machine's clock"
        case .tls(let detail): TLSRemedy.text(detail)
        case .fileUnusable(_, _, let detail) where detail == "key values mismatch": TLSRemedy.text(detail)
        case .fileUnusable: "make it a regular PEM file, of the kind that the key says, that the daemon's user may read"
        case .password(let error): error.remedy
        case .certificateOfAnother(_, let name, let own):
            "put the certificate of \(own) back, or restart the agent to make it \(name)"
        case .refused(let reason): Self.loginRemedy(reason)
        case .loginMissing(.username, _):
            "set mqtt.username and its password, or mqtt.cert_file and mqtt.key_file where the broker takes certificates"
        case .loginMissing(.password, _):
            "set mqtt.password_file, or write the password into the service's credential mqtt-password"
        case .disconnected(.sessionTakenOver): "give every gateway of a site its own gateway.id"
        case .disconnected: "see the broker's log; delivery resumes by itself"
        case .brokenProtocol:
            "check host and port in mqtt.url, and what stands between; mqtt.protocol = 3 does without what MQTT 5 added"
        // MQTT 3.1.1 has no code for a session taken over, and Mosquitto 2.0.11 doesn't use MQTT 5's.
        case .closedByBroker:
            "delivery resumes by itself; if it recurs, see the broker's log: another agent may use this gateway.id"
        case .keepaliveExpired, .acknowledgementOverdue:
            "check the network and the broker's load; delivery resumes by itself"
        case .library: "check the [mqtt] section"
        }
    }

    private static func loginRemedy(_ reason: ReasonCode) -> String {
        switch reason {
        case .unsupportedProtocolVersion: "set mqtt.protocol to 3 (or 5), as the broker speaks it"
        case .badUserNameOrPassword, .notAuthorized:
            "the username or the password is not right: check mqtt.username, the password file and the broker's user and access lists"
        case .retainNotSupported: "allow retained messages in the broker"
        case .clientIdentifierNotValid: "the broker does not accept this client identifier: change gateway.id"
        default: "see the broker's log; the login is tried again by itself"
        }
    }
}

/// The reason why the broker password could not be read. It never holds the password.
package enum PasswordError: Error, Hashable, Sendable {
    /// `detail` is the system's text.
    case unreadable(path: String, detail: String)
    case notAFile(path: String, kind: FileKind)
    /// The file's first line is empty.
    case empty(path: String)
    /// The first line is longer than `limit` bytes: hardly a password.
    case tooLong(path: String, limit: Int)
    /// The first line is not UTF-8 or holds a NUL.
    case notText(path: String)
    /// A password without a user name, which MQTT 3.1.1 forbids.
    case withoutUsername(path: String)
}

extension PasswordError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let path, let detail): "password file \(path): \(detail)"
        case .notAFile(let path, let kind): "password file \(path): it is \(kind), not a regular file"
        case .empty(let path): "password file \(path): its first line is empty"
        case .tooLong(let path, let limit): "password file \(path): its first line is longer than \(limit) bytes"
        case .notText(let path): "password file \(path): its first line is not UTF-8 text"
        case .withoutUsername(let path): "password file \(path) without mqtt.username"
        }
    }

    /// A remedy for the operator, on one line.
    var remedy: String {
        switch self {
        case .unreadable: "let the daemon's user read it, or correct mqtt.password_file"
        case .notAFile: "name a regular file in mqtt.password_file: it is read anew for every connection"
        case .empty, .tooLong, .notText: "write the password, and nothing else, on the first line"
        case .withoutUsername: "set mqtt.username, or use mqtt.protocol = 5"
        }
    }
}

/// Remedies for TLS failures, by OpenSSL's texts: these are the same from version 1.1 to 3.
enum TLSRemedy {
    /// The broker's TLS alert, which names its objection: `sslv3 alert certificate revoked`.
    static func refusal(_ detail: String) -> String? {
        guard let alert = detail.firstRange(of: " alert ") else { return nil }
        return String(detail[alert.upperBound...])
    }

    static func text(_ detail: String) -> String {
        rows.first { row in row.words.contains { detail.contains($0) } }?.remedy ?? otherwise
    }

    private static let otherwise =
        "see the broker's log; it may ask for a client certificate (mqtt.cert_file and key_file) or not accept ours, or "
        + "mqtt.url names a port without TLS 1.2 or later"

    private static let rows: [(words: [String], remedy: String)] = [
        (
            ["certificate revoked"],
            "the authority has taken mqtt.cert_file back: have a new certificate issued, and name it and its key there"
        ),
        (
            ["unknown ca"],
            "the broker does not know the authority of mqtt.cert_file: use a certificate that its own authority has issued, or have "
                + "the broker trust that one"
        ),
        (["certificate expired"], "mqtt.cert_file has run out, or a clock is wrong: renew it, or set the clock"),
        (
            ["certificate required", "peer did not return a certificate"],
            "the broker asks for a client certificate: set mqtt.cert_file and mqtt.key_file"
        ),
        (
            [
                "bad certificate", "certificate unknown", "unsupported certificate", "alert access denied",
                "decrypt error",
            ],
            "the broker does not accept mqtt.cert_file as a client certificate; its log says why"
        ),
        (
            ["key values mismatch"],
            "mqtt.key_file is the key of another certificate: name the one that belongs to mqtt.cert_file"
        ),
        (
            [
                "wrong version number", "unknown protocol", "http request", "packet length too long",
                "record layer failure",
            ],
            "the port in mqtt.url does not speak TLS: name the broker's TLS port, or begin with mqtt:// for its plain one"
        ),
        (
            ["protocol version", "unsupported protocol", "version too low"],
            "the broker must offer TLS 1.2 or later on the port in mqtt.url"
        ),
    ]
}

extension ConnectionFailure {
    /// The end of a handshake without OpenSSL's text: the broker's alert was lost with the connection.
    static let handshakeEnded = ConnectionFailure.tls(detail: "the broker ended the handshake")

    /// Returns whether this may be `cause` with its text lost on the way: then `cause` is still the one to report.
    func mayConceal(_ cause: ConnectionFailure) -> Bool {
        switch (self, cause) {
        case (.handshakeEnded, .tls), (.closedBeforeLogin, .tls): true
        default: false
        }
    }
}
