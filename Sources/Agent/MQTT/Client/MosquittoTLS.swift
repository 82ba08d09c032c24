import CMosquitto
import Core

/// `mqtts://`: the chain and the host name are verified on every connection, and TLS is 1.2 or later.
///
/// libmosquitto encrypts only where it was given authorities to trust: without any it would speak plain MQTT to a TLS
/// port and verify nothing. So either `ca_file` or the system's authorities are always set, and a failure to set them
/// is a failure. There is no switch that turns verification off.
struct MosquittoTLS {
    package var settings: BrokerSettings

    /// OpenSSL's hashed directory on every distribution that we package for.
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
                // A key that is locked with a passphrase fails: OpenSSL would ask for it on the terminal and wait.
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

    private func call(_ name: String, _ code: Int32) throws(ConnectionFailure) {
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            throw .library(call: name, detail: String(cString: mosquitto_strerror(code)))
        }
    }
}
