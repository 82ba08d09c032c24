import Testing

@testable import Core

@Suite("X.509 certificates, read by libcrypto")
struct CertificateTests {
    /// Made by `openssl req -x509` with the common name berlin-17/entrance, valid for ten years.
    private static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBjjCCATWgAwIBAgIUB5FoCo23Y/l+JhssH02ZK1MdY9AwCgYIKoZIzj0EAwIw
        HTEbMBkGA1UEAwwSYmVybGluLTE3L2VudHJhbmNlMB4XDTI2MTEyNjA5MDkwMloX
        DTM2MTEyMzA5MDkwMlowHTEbMBkGA1UEAwwSYmVybGluLTE3L2VudHJhbmNlMFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcT0D0dBAwd22HSifZgssEvYzThysWBkk
        mV6AWZyU8lfDqagTu5N6jtQYgh7hs7jN7exmPtjlGxd9UvAtMGEPUKNTMFEwHQYD
        VR0OBBYEFPM6gMGPJzmQCGrf0EhNlNz/g9dsMB8GA1UdIwQYMBaAFPM6gMGPJzmQ
        CGrf0EhNlNz/g9dsMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIg
        NjHhdsC1/q+6cHY+wq6M1qzAKG4sFxEF/cE8qBvcOx0CIC1PXV03yVo2KHtVsIrY
        KO78gQgwF9TnQdj1H92m9oSs
        -----END CERTIFICATE-----
        """
    private static let octets = Array(pem.utf8)

    @Test("Subject, issuer and both ends of its time are those of the file")
    func fields() throws {
        let certificate = try #require(Certificate.all(inPEM: Self.octets).first)
        #expect(certificate.commonNames == ["berlin-17/entrance"])
        #expect(certificate.issuer == "berlin-17/entrance")
        #expect(Timestamp.text(certificate.validFrom) == "2026-11-26T09:09:02.000Z")
        #expect(Timestamp.text(certificate.expires) == "2036-11-23T09:09:02.000Z")
    }

    @Test("All certificates of a file are read, with other blocks and text between them")
    func several() {
        let other = "\n-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\ntext\n"
        #expect(Certificate.all(inPEM: Array((Self.pem + other + Self.pem).utf8)).count == 2)
    }

    @Test("A file without a certificate has none")
    func none() {
        for text in [
            "", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            #expect(Certificate.all(inPEM: Array(text.utf8)).isEmpty)
            #expect(Certificate.fits(pem: Self.octets, key: Array(text.utf8)) == nil)
        }
    }

    @Test("No file traps: cut anywhere, or with any octet replaced")
    func hostile() {
        for end in Self.octets.indices { #expect(Certificate.all(inPEM: Array(Self.octets[..<end])).isEmpty) }
        for index in Self.octets.indices {
            for octet in [0, 10, 65, 255] as [UInt8] {
                var changed = Self.octets
                changed[index] = octet
                #expect(Certificate.all(inPEM: changed).count <= 1)
            }
        }
    }

    @Test("Below 30 days a certificate is to be renewed, below 7 at once")
    func validity() throws {
        let certificate = try #require(Certificate.all(inPEM: Self.octets).first)
        let day = TimeSpan.seconds(86_400)
        func left(_ days: Int) -> Certificate.Validity {
            certificate.validity(at: certificate.expires - TimeSpan(microseconds: day.microseconds * Int64(days)))
        }
        #expect(left(30) == .good)
        #expect([left(29), left(7)] == [.renewSoon, .renewSoon])
        #expect([left(6), left(0)] == [.renewNow, .renewNow])
        #expect(left(-1) == .expired)
        #expect(certificate.validity(at: certificate.validFrom - day) == .notYetValid)
    }
}
