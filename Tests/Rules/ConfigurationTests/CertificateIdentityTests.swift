import Testing

@testable import Core

@Suite("A gateway's name, from its certificate")
struct CertificateIdentityTests {
    private static let year = WallTime(microseconds: 0)..<WallTime(microseconds: 31_536_000_000_000)

    /// Settings whose certificate has these common names.
    private func settings(
        _ names: [String], as role: CertificateIdentity.Role = .gateway, gateway: String = "", more: String = "",
        files: String = "cert_file = \"/c.pem\"\nkey_file = \"/k.pem\""
    ) throws(ConfigurationErrors) -> Settings {
        let certificate = Certificate(
            commonNames: names, issuer: "authority", validFrom: Self.year.lowerBound, expires: Self.year.upperBound)
        return try Settings.parse(
            "[gateway]\nidentity = \"certificate\"\n\(gateway)\n[mqtt]\nurl = \"mqtts://broker\"\n\(files)\n\(more)",
            certificate: CertificateIdentity(for: role) {
                $0 == "/c.pem" ? .success(certificate) : .failure(.init(reason: "no such file"))
            })
    }

    private func errors(_ names: [String], as role: CertificateIdentity.Role = .gateway, gateway: String = "") -> String
    {
        do throws(ConfigurationErrors) {
            _ = try settings(names, as: role, gateway: gateway)
            return ""
        } catch {
            return error.description
        }
    }

    @Test("SITE/ID is the site and the id, whatever the host is called")
    func name() throws {
        var settings = try settings(["berlin-17/entrance"])
        #expect(settings.identity.topics.root == "beacons/berlin-17/entrance")
        #expect(settings.identity.name(byHost: "other") == nil)
        #expect(settings.identity.topics.root == "beacons/berlin-17/entrance")
    }

    @Test("A store without a name of its own is that of the certificate")
    func site() throws {
        let settings = try settings(["berlin-17/site"], as: .site, more: "[site]")
        #expect(try settings.topics(of: #require(settings.site)).root == "beacons/berlin-17/site")
        #expect(settings.topics(of: settings.siteDefaults).root == "beacons/berlin-17/site")
    }

    @Test(
        "An unusable name is an error that shows the name",
        arguments: [
            "entrance", "berlin/17/entrance", "", "/", "berlin-17/", "/entrance", "berlin-17/+", "#/entrance",
            "berlin-17/a\u{1}b", "berlin-17/site", "berlin-17/" + String(repeating: "x", count: 129),
        ])
    func unusable(name: String) {
        let said = errors([name])
        #expect(said.contains("mqtt.cert_file = \"/c.pem\""))
        #expect(said.contains("its common name is \(name.quoted)"))
    }

    @Test("A name that makes topics longer than brokers take is refused as a whole")
    func long() {
        let name = String(repeating: "s", count: 100) + "/" + String(repeating: "g", count: 100)
        #expect(errors([name]).contains("with its common name"))
    }

    @Test("No common name, and two of them, name no gateway")
    func number() {
        #expect(errors([]).contains("no common name"))
        #expect(errors(["a/b", "c/d"]).contains("2 common names, \"a/b\" and \"c/d\""))
    }

    @Test("Only the store's certificate makes a store, and a gateway's no store")
    func roles() throws {
        #expect(errors(["berlin-17/entrance"], as: .site).contains("SITE/site"))
        #expect(errors(["berlin-17/site"]).contains("is the store's own id"))
        #expect(errors(["berlin-17/site"], as: .any).isEmpty)
    }

    @Test("A key beside the certificate must not contradict it; the default file's values say nothing")
    func keysBeside() {
        #expect(errors(["berlin-17/entrance"], gateway: "site = \"store\"\nid = \"\"").isEmpty)
        #expect(errors(["berlin-17/entrance"], gateway: "site = \"berlin-17\"\nid = \"entrance\"").isEmpty)
        #expect(
            errors(["berlin-17/entrance"], gateway: "site = \"hamburg-3\"").contains("gateway.site = \"hamburg-3\""))
        #expect(errors(["berlin-17/entrance"], gateway: "id = \"cellar\"").contains("gateway.id = \"cellar\""))
    }

    @Test("Without a file, and with one that can't be read, the gateway has no name")
    func noFile() {
        for (files, said) in [
            ("", "must be set where gateway.identity"), ("cert_file = \"/x\"\nkey_file = \"/k\"", "no such file"),
        ] {
            #expect {
                try settings(["a/b"], files: files)
            } throws: { "\($0)".contains(said) }
        }
    }

    @Test("Without the key the certificate names nothing")
    func configured() throws {
        let settings = try Settings.parse(
            "[gateway]\nid = \"gw\"",
            certificate: CertificateIdentity(for: .gateway) { _ in .failure(.init(reason: "unread")) })
        #expect(settings.identity.topics.root == "beacons/store/gw")
    }
}
