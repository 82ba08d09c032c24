/// Where a broker is: `mqtt://host`, `mqtts://host:8884`, `mqtt://[fd00::1]:1883`, and nothing else in it.
struct BrokerURL: Hashable, Sendable {
    var host: String
    var port: UInt16
    var usesTLS: Bool

    package enum Problem: Error {
        case hasUser, badPort, notAllowed
    }

    init(host: String, port: UInt16, usesTLS: Bool) {
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
    }

    init(_ text: String) throws(Problem) {
        guard text.utf8.count <= 300, let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw text.contains("@") ? .hasUser : .notAllowed
        }
        if text.contains("@") { throw .hasUser }
        switch text[..<colon].lowercased() {
        case "mqtt": usesTLS = false
        case "mqtts": usesTLS = true
        default: throw .notAllowed
        }
        do throws(HostPort.Problem) {
            let place = try HostPort(text[colon...].dropFirst(3), defaultPort: usesTLS ? 8883 : 1883)
            (host, port) = (place.host, place.port)
        } catch {
            throw error == .badPort ? .badPort : .notAllowed
        }
    }

    var text: String {
        "\(usesTLS ? "mqtts" : "mqtt")://\(HostPort(host: host, port: port))"
    }

    /// The text without what may be a password: everything between the scheme and the last `@`.
    static func withoutUser(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let scheme = text.hasPrefix("mqtts://") ? "mqtts://" : text.hasPrefix("mqtt://") ? "mqtt://" : ""
        return scheme + "…" + text[at...]
    }
}

extension Rule where Value == BrokerURL {
    static var brokerURL: Rule {
        let allowed = "mqtt://host, mqtts://host or either with :port (an IPv6 address in brackets), without a path"
        return Rule(
            type: "text", allowed: allowed,
            read: { node in
                guard case .string(let text) = node else { return .wrongType }
                do throws(BrokerURL.Problem) {
                    return .value(try BrokerURL(text))
                } catch {
                    switch error {
                    case .notAllowed: return .refused(nil)
                    case .badPort: return .refused("must have a port from 1 to 65535")
                    case .hasUser:
                        return .refused(
                            "must not have a user or password in it: the user belongs in username, the password in the"
                                + " file that password_file names or in $CREDENTIALS_DIRECTORY/mqtt-password")
                    }
                }
            },
            write: { $0.text.quoted },
            show: { node in
                guard case .string(let text) = node else { return node.text }
                return BrokerURL.withoutUser(text).quoted
            })
    }
}
