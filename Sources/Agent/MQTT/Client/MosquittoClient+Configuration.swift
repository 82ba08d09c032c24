import CMosquitto
import Core
import Glibc

extension MosquittoClient {
    /// Sets everything that libmosquitto needs before CONNECT.
    func configure(will: Message?, password: String?) throws(ConnectionFailure) {
        let version = inbox.isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try call("protocol version", mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version))
        try call("TCP_NODELAY", mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1))
        // The session keeps the window. libmosquitto still lowers this value to the broker's limit.
        try call("send maximum", mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, 65_535))
        if !settings.username.isEmpty || password != nil {
            let username = settings.username.isEmpty ? nil : settings.username
            try call("login", mosquitto_username_pw_set(handle, username, password))
        }
        if let will { try set(will: will) }
        if settings.usesTLS { try MosquittoTLS(settings: settings).apply(to: handle) }
        if inbox.isVersion5 { try announceMaximumPacketSize() }
    }

    private func set(will: Message) throws(ConnectionFailure) {
        let length = Int32(clamping: will.payload.count)
        var properties: OpaquePointer?
        // libmosquitto owns the list once it has taken the will.
        var isTaken = false
        defer { if !isTaken { mosquitto_property_free_all(&properties) } }
        if inbox.isVersion5 { try call("will", MosquittoProperties.add(of: will, to: &properties)) }
        let code = will.payload.withUnsafeBytes { bytes in
            mosquitto_will_set_v5(
                handle, will.topic, length, bytes.baseAddress, Int32(will.qos.rawValue), will.isRetained, properties)
        }
        try call("will", code)
        isTaken = true
    }

    /// Tells the broker the longest packet. MQTT 3.1.1 has no field for that, and libmosquitto reads any packet into
    /// memory whole.
    ///
    /// libmosquitto takes CONNECT properties only through its blocking connect. Called without a host, that function
    /// keeps the properties for the next connect, and then fails.
    private func announceMaximumPacketSize() throws(ConnectionFailure) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        let identifier = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
        try call(
            "maximum packet size", mosquitto_property_add_int32(&properties, identifier, inbox.limits.packet_bytes))
        _ = mosquitto_connect_bind_v5(handle, nil, 0, 0, nil, properties)
    }
}

private func call(_ name: String, _ code: Int32) throws(ConnectionFailure) {
    guard code == MOSQ_ERR_SUCCESS.rawValue else {
        throw .library(call: name, detail: String(cString: mosquitto_strerror(code)))
    }
}

/// `mqtts://`: the chain and the host name are verified on every connection, and TLS is 1.2 or later.
///
/// libmosquitto encrypts only where it has authorities to trust. Without any it would speak plain MQTT to a TLS port
/// and verify nothing. So either `ca_file` or the system's authorities are always set, and a failure to set them ends
/// the attempt. No option turns verification off.
struct MosquittoTLS {
    var settings: BrokerSettings

    /// OpenSSL's hashed directory on every supported distribution.
    private static let systemAuthorities = "/etc/ssl/certs"

    func apply(to handle: OpaquePointer) throws(ConnectionFailure) {
        try requireReadable("ca_file", settings.caFile)
        try requireReadable("cert_file", settings.certificateFile)
        try requireReadable("key_file", settings.keyFile)
        let usesSystem = settings.caFile.isEmpty
        if usesSystem { try call("system authorities", mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)) }
        try call(
            "TLS files",
            mosquitto_tls_set(
                handle, usesSystem ? nil : settings.caFile, usesSystem ? Self.systemAuthorities : nil,
                settings.certificateFile.isEmpty ? nil : settings.certificateFile,
                settings.keyFile.isEmpty ? nil : settings.keyFile,
                // A key with a passphrase must fail: OpenSSL would ask for the passphrase on the terminal and wait.
                { _, _, _, _ in 0 }))
        // To libmosquitto "tlsv1.2" means 1.2 or later. 1 is SSL_VERIFY_PEER.
        try call("TLS version", mosquitto_tls_opts_set(handle, 1, "tlsv1.2", nil))
    }

    private func requireReadable(_ key: String, _ path: String) throws(ConnectionFailure) {
        if path.isEmpty { return }
        do throws(FileError) {
            try NamedFile.check(path)
        } catch {
            throw .fileUnusable(key: key, path: path, detail: error.reason)
        }
    }
}

/// The broker password: the first line of `[mqtt] password_file`, else of `$CREDENTIALS_DIRECTORY/mqtt-password`.
///
/// The password is read for every connection, so that a new one takes effect without a restart.
enum Password {
    /// A file longer than this is not a password file. MQTT's own limit is 65 535 bytes.
    static let maxLength_bytes = 4_096
    /// The octets that some editors put before a text in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// `nil` where none is configured and the service manager provides none.
    static func read(file: String, credentialsDirectory: String?) throws(PasswordError) -> String? {
        if !file.isEmpty { return try firstLine(path: file) }
        guard let credentialsDirectory, !credentialsDirectory.isEmpty else { return nil }
        let path = credentialsDirectory + "/mqtt-password"
        guard access(path, F_OK) == 0 else { return nil }
        return try firstLine(path: path)
    }

    /// The directory of systemd's `LoadCredential=`.
    static var credentialsDirectory: String? { getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } }

    private static func open(_ path: String) throws(PasswordError) -> Int32 {
        do throws(FileError) {
            return try NamedFile.open(path)
        } catch {
            if case .kind(let kind) = error.cause { throw .notAFile(path: path, kind: kind) }
            throw .unreadable(path: path, detail: error.reason)
        }
    }

    private static func firstLine(path: String) throws(PasswordError) -> String {
        let descriptor = try open(path)
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: maxLength_bytes + 2)
        var length = 0
        while length < buffer.count {
            let count = buffer.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress?.advanced(by: length), bytes.count - length)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path: path, detail: systemText(errno)) }
            if count == 0 { break }
            length += count
        }
        var line = buffer.prefix(length).prefix { $0 != UInt8(ascii: "\n") }
        if line.starts(with: byteOrderMark) { line = line.dropFirst(byteOrderMark.count) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { throw .empty(path: path) }
        guard line.count <= maxLength_bytes else { throw .tooLong(path: path, limit: maxLength_bytes) }
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw .notText(path: path)
        }
        return text
    }
}
