import CCrypto

/// The parts of an X.509 certificate (RFC 5280) that the agent uses, read by OpenSSL's libcrypto.
package struct Certificate: Hashable, Sendable {
    /// The common names of the subject, in its order. RFC 5280 allows several.
    package var commonNames: [String]
    /// The issuer's common name, else its whole name in one line. It may contain any characters.
    var issuer: String
    /// The first moment at which the certificate is valid.
    package var validFrom: WallTime
    /// The last moment at which the certificate is valid.
    package var expires: WallTime
}

extension Certificate {
    /// The most certificates that are read from one file: more than any list of authorities has.
    static let mostInFile = 1_000

    /// Returns the certificates of a PEM file, up to the first that can't be read. Blocks of other kinds are skipped.
    package static func all(inPEM octets: [UInt8]) -> [Certificate] {
        var found: [Certificate] = []
        PEMReader.read(octets) { reader in
            while found.count < mostInFile, let next = reader.certificate({ Certificate($0) }) { found.append(next) }
        }
        return found
    }

    /// Returns whether the first certificate of one PEM file belongs to the private key of another.
    ///
    /// - Returns: `nil` where one of them can't be read; a key with a passphrase can't.
    package static func fits(pem certificate: [UInt8], key: [UInt8]) -> Bool? {
        var fits: Bool?
        PEMReader.read(key) { keys in
            keys.privateKey { key in
                PEMReader.read(certificate) { reader in
                    fits = reader.certificate { X509_check_private_key($0, key) == 1 }
                }
            }
        }
        return fits
    }

    private init?(_ certificate: OpaquePointer) {
        guard let subject = X509_get_subject_name(certificate), let issuer = X509_get_issuer_name(certificate),
            let validFrom = Self.time(X509_get0_notBefore(certificate)),
            let expires = Self.time(X509_get0_notAfter(certificate))
        else { return nil }
        let issuers = Self.commonNames(of: issuer)
        self.init(
            commonNames: Self.commonNames(of: subject), issuer: issuers.first ?? Self.line(issuer),
            validFrom: validFrom, expires: expires)
    }

    private static func commonNames(of name: OpaquePointer) -> [String] {
        var names: [String] = []
        var index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        while index >= 0 {
            if let entry = X509_NAME_get_entry(name, index), let text = text(X509_NAME_ENTRY_get_data(entry)) {
                names.append(text)
            }
            index = X509_NAME_get_index_by_NID(name, NID_commonName, index)
        }
        return names
    }

    /// Returns the text of an ASN.1 string of any kind. Octets that are no text become U+FFFD.
    private static func text(_ string: UnsafeMutablePointer<ASN1_STRING>?) -> String? {
        guard let string else { return nil }
        var octets: UnsafeMutablePointer<UInt8>?
        let length = ASN1_STRING_to_UTF8(&octets, string)
        guard length >= 0, let octets else { return nil }
        defer { CRYPTO_free(octets, nil, 0) }
        return String(decoding: UnsafeBufferPointer(start: octets, count: Int(length)), as: UTF8.self)
    }

    private static func line(_ name: OpaquePointer) -> String {
        var line = [CChar](repeating: 0, count: 256)
        guard X509_NAME_oneline(name, &line, Int32(line.count)) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> WallTime? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return WallTime(microseconds: (Int64(days) * 86_400 + Int64(seconds)) * 1_000_000)
    }
}

/// Reads the blocks of a PEM file (RFC 7468) one after the other, through OpenSSL's buffer in memory.
private struct PEMReader: ~Copyable {
    private let buffer: OpaquePointer

    private init(_ buffer: OpaquePointer) { self.buffer = buffer }

    /// Calls `body` with a reader of these octets; not where memory is short, or there are too many octets.
    static func read(_ octets: [UInt8], _ body: (borrowing PEMReader) -> Void) {
        octets.withUnsafeBytes { bytes in
            guard let length = Int32(exactly: bytes.count), let start = bytes.baseAddress,
                let buffer = BIO_new_mem_buf(start, length)
            else { return }
            body(PEMReader(buffer))
            BIO_free(buffer)
        }
        // A connection of libmosquitto on this thread would take a failure that is left here for its own.
        ERR_clear_error()
    }

    /// Returns the result of `body` for the next certificate; `nil` where there is none.
    func certificate<Value>(_ body: (OpaquePointer) -> Value?) -> Value? {
        guard let certificate = PEM_read_bio_X509(buffer, nil, Self.noPassphrase, nil) else { return nil }
        defer { X509_free(certificate) }
        return body(certificate)
    }

    func privateKey(_ body: (OpaquePointer) -> Void) {
        guard let key = PEM_read_bio_PrivateKey(buffer, nil, Self.noPassphrase, nil) else { return }
        body(key)
        EVP_PKEY_free(key)
    }

    /// Without this function OpenSSL would ask for a passphrase on the terminal, and wait.
    private static let noPassphrase:
        @convention(c) (
            UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?
        ) -> Int32 = { _, _, _, _ in -1 }
}

extension Certificate {
    /// The need to renew a certificate.
    package enum Validity: Hashable, Sendable {
        case notYetValid
        /// At least 30 days are left.
        case good
        /// Fewer than 30 days are left.
        case renewSoon
        /// Fewer than 7 days are left.
        case renewNow
        case expired
    }

    /// Returns the need to renew the certificate at a time.
    package func validity(at now: WallTime) -> Validity {
        if now < validFrom { return .notYetValid }
        switch (expires - now).seconds {
        case ..<0: return .expired
        case ..<(7 * 86_400): return .renewNow
        case ..<(30 * 86_400): return .renewSoon
        default: return .good
        }
    }
}
