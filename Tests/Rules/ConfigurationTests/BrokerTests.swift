import Testing

@testable import Core

struct BrokerTests {
    func url(_ text: String) -> String { "[mqtt]\nurl = \"\(text)\"\n" }

    @Test(
        "A broker's URL has a scheme, a host and perhaps a port",
        arguments: [
            ("mqtt://broker", "broker", 1883, false), ("mqtts://broker", "broker", 8883, true),
            ("mqtt://10.0.0.1:1884", "10.0.0.1", 1884, false),
            ("MQTTS://b.example.com:443", "b.example.com", 443, true),
            ("mqtt://[::1]", "::1", 1883, false), ("mqtts://[fe80::1%eth0]:8884", "fe80::1%eth0", 8884, true),
            ("mqtt://broker:65535", "broker", 65535, false),
        ])
    func urls(text: String, host: String, port: UInt16, usesTLS: Bool) throws {
        let mqtt = try Settings.parse(url(text)).broker
        #expect(mqtt.host == host)
        #expect(mqtt.port == port)
        #expect(mqtt.usesTLS == usesTLS)
    }

    @Test("A port is from 1 to 65535", arguments: ["0", "65536", "99999999999999999999"])
    func port(number: String) {
        #expect(
            complaints(url("mqtt://broker:\(number)")) == [
                "mqtt.url = \"mqtt://broker:\(number)\": must have a port from 1 to 65535"
            ])
    }

    @Test(
        "Any other URL is refused",
        arguments: [
            "", "broker", "broker:1883", "http://broker", "mqtt:broker", "mqtt:/broker", "mqtt://", "mqtt://:1883",
            "mqtt://broker:", "mqtt://broker:+1", "mqtt://broker:1883/",
            "mqtt://broker/topic", "mqtt://broker?x", "mqtt://bro ker", "mqtt://[::1", "mqtt://[]", "mqtt://[broker]",
            "mqtt://[::1]1883", "mqtt://::1", "mqtt://bröker", "ws://broker",
        ])
    func refused(text: String) {
        #expect(
            complaints(url(text)) == [
                "mqtt.url = \"\(text)\": must be mqtt://host, mqtts://host or either with :port (an IPv6 address in"
                    + " brackets), without a path"
            ])
    }

    @Test(
        "A password in the URL is not shown, and the error says where it belongs",
        arguments: ["mqtt://user:hunter2@broker", "mqtts://user:hunter2@broker:8883", "user:hunter2@broker"])
    func password(text: String) throws {
        let errors = complaints(url(text))
        let error = try #require(errors.first)
        #expect(errors.count == 1)
        #expect(!error.contains("hunter2"))
        #expect(error.contains("password_file"))
        #expect(error.contains("@broker"))
    }

    @Test("A password under its own key is not shown, and password_file is suggested")
    func passwordKey() {
        #expect(
            complaints("[mqtt]\npassword = \"hunter2\"") == ["mqtt.password: unknown key; did you mean password_file?"])
    }

    @Test("A client's certificate and its key go together, and need TLS")
    func certificate() {
        let tls = url("mqtts://broker")
        #expect(complaints(tls + "cert_file = \"c\"\nkey_file = \"k\"\nca_file = \"a\"").isEmpty)
        #expect(
            complaints(tls + "cert_file = \"c\"") == ["mqtt.key_file = \"\" (default): must be set where cert_file is"])
        #expect(
            complaints(tls + "key_file = \"k\"") == ["mqtt.cert_file = \"\" (default): must be set where key_file is"])
        #expect(complaints("[mqtt]\ncert_file = \"c\"\nkey_file = \"k\"").count == 2)
        #expect(
            complaints("[mqtt]\nca_file = \"a\"") == [
                "mqtt.ca_file = \"a\": must be empty unless url begins with mqtts://: without TLS it is not used"
            ])
    }

    @Test("MQTT 3.1.1 allows no password without a user")
    func passwordWithoutUser() throws {
        #expect(complaints("[mqtt]\nprotocol = 3\npassword_file = \"p\"").count == 1)
        #expect(complaints("[mqtt]\nprotocol = 3\npassword_file = \"p\"\nusername = \"u\"").isEmpty)
        #expect(try Settings.parse("[mqtt]\npassword_file = \"p\"").broker.passwordFile == "p")
    }

    @Test("The protocol is 3 or 5")
    func version() throws {
        #expect(try Settings.parse("[mqtt]\nprotocol = 3").broker.protocolVersion == .v3)
        #expect(try Settings.parse("[mqtt]\nprotocol = 5").broker.protocolVersion == .v5)
        #expect(complaints("[mqtt]\nprotocol = 4") == ["mqtt.protocol = 4: must be 3 or 5"])
        #expect(
            complaints("[mqtt]\nprotocol = \"5\"") == ["mqtt.protocol = \"5\": must be an integer (3 or 5), not text"])
    }
}
