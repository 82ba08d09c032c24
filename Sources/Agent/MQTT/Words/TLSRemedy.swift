/// What to do about an end of TLS, by OpenSSL's words for it: they are the same from version 1.1 to 3.
enum TLSRemedy {
    /// The broker's alert says what it has against us: `sslv3 alert certificate revoked`.
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
    /// The end of a handshake without OpenSSL's word for it: what the broker said was lost with the connection.
    static let handshakeEnded = ConnectionFailure.tls(detail: "the broker ended the handshake")

    /// Whether this may be how `cause` looks where its words were lost on the way: then the cause is still the one to tell.
    func mayConceal(_ cause: ConnectionFailure) -> Bool {
        switch (self, cause) {
        case (.handshakeEnded, .tls), (.closedBeforeLogin, .tls): true
        default: false
        }
    }
}
