/// The address of a broker, with no other parts: `mqtt://host`, `mqtts://host:8884`, `mqtt://[fd00::1]:1883`.
struct BrokerURL: Hashable, Sendable {
    var host: String
    var port: UInt16
    var usesTLS: Bool

    enum Problem: Error {
        case hasUser, badPort, notAllowed
    }
}

extension BrokerURL {
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

    /// Returns the text without a possible password: everything between the scheme and the last `@`.
    static func withoutUser(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let scheme = text.hasPrefix("mqtts://") ? "mqtts://" : text.hasPrefix("mqtt://") ? "mqtt://" : ""
        return scheme + "…" + text[at...]
    }
}

extension Rule where Value == BrokerURL {
    static var brokerURL: Rule {
        let allowed = "mqtt://host, mqtts://host or either with :port (an IPv6 address in brackets), without a path"
        var rule = text(
            allowed,
            read: { text in
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
            write: { $0.text.tomlString })
        rule.show = { if case .string(let text) = $0 { BrokerURL.withoutUser(text).quoted } else { $0.text } }
        return rule
    }
}

/// A host and a port, as text with no other parts: `127.0.0.1:2947`, `[::1]:2947`, `gps.example.com`.
package struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an address of either family without brackets.
    package var host: String
    package var port: UInt16

    package enum Problem: Error {
        /// No host, or a host followed by more than a port.
        case notAllowed
        /// The port is not from 1 to 65535.
        case badPort
    }

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// - Parameters:
    /// - text: at most 300 octets.
    /// - defaultPort: the port of a text without one.
    init(_ text: some StringProtocol, defaultPort: UInt16) throws(Problem) {
        guard text.utf8.count <= 300 else { throw .notAllowed }
        let text = String(text)
        port = defaultPort
        let suffix: Substring
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { throw .notAllowed }
            host = String(text[..<bracket].dropFirst())
            guard Self.looksLikeIPv6(host) else { throw .notAllowed }
            host = Self.withoutEscape(host)
            suffix = text[bracket...].dropFirst()
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = String(text[..<end])
            guard Self.looksLikeHost(host) else { throw .notAllowed }
            suffix = text[end...]
        }
        if suffix.isEmpty { return }
        let digits = suffix.dropFirst()
        guard suffix.hasPrefix(":"), !digits.isEmpty, digits.utf8.allSatisfy(Self.isDigit) else { throw .notAllowed }
        guard let number = UInt16(digits), number > 0 else { throw .badPort }
        port = number
    }

    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    private static func isDigit(_ octet: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet }

    private static func isLetter(_ octet: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= octet | 0x20 }

    /// Returns whether it has only letters, digits, dashes, dots and underscores. The resolver decides whether it
    /// exists.
    private static func looksLikeHost(_ host: String) -> Bool {
        (1...253).contains(host.utf8.count)
            && host.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-._".utf8.contains($0) }
    }

    /// Returns an address whose zone follows `%` and not `%25`, which RFC 6874 writes in a URL.
    private static func withoutEscape(_ host: String) -> String {
        guard let escape = host.firstRange(of: "%25"), escape.upperBound < host.endIndex else { return host }
        return host[..<escape.lowerBound] + "%" + host[escape.upperBound...]
    }

    /// Returns whether it has hexadecimal digits, colons and dots, and possibly a zone after `%`, as in `fe80::1%eth0`.
    private static func looksLikeIPv6(_ host: String) -> Bool {
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, address.contains(":"), address.utf8.count <= 45 else { return false }
        let isAddress = address.utf8.allSatisfy {
            isDigit($0) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 || ":.".utf8.contains($0)
        }
        return isAddress && parts.dropFirst().allSatisfy { $0.utf8.count <= 16 && looksLikeHost(String($0)) }
    }
}
