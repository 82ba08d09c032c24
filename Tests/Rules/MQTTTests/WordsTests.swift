import Foundation
import Testing

@testable import Agent

@Suite("Reason codes and the password file")
struct WordsTests {
    @Test("A reason code has the name of the specification")
    func names() {
        #expect(ReasonCode.notAuthorized.description == "Not authorized (0x87)")
        #expect(ReasonCode(rawValue: 0x00).description == "Success (0x00)")
        #expect(ReasonCode(rawValue: 0xFE).description == "Reason code (0xFE)")
    }

    @Test("For a packet beyond the broker's limit, the remedy is the limit: no packet was sent, so no log has it")
    func longPacket() {
        #expect(ReasonCode.packetTooLarge.publishingRemedy.contains("max_packet_size"))
    }

    @Test("Failure begins at 0x80")
    func success() {
        #expect(ReasonCode(rawValue: 0x7F).isSuccess)
        #expect(!ReasonCode(rawValue: 0x80).isSuccess)
    }

    @Test("MQTT 3.1.1's five refusals become MQTT 5's words")
    func returnCodes() {
        let codes = (0...6).map { ReasonCode(connectReturnCode: UInt8($0)).rawValue }
        #expect(codes == [0x00, 0x84, 0x85, 0x88, 0x86, 0x87, 0x80])
    }

    func withFile(_ bytes: [UInt8], _ body: (String) -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "password-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        body(file.path)
    }

    @Test(
        "The password is the first line, without any kind of line end",
        arguments: ["secret", "secret\n", "secret\r\n", "secret\nnot this\n"])
    func firstLine(text: String) throws {
        try withFile(Array(text.utf8)) { path in
            #expect(throws: Never.self) {
                let password = try Password.read(file: path, credentialsDirectory: nil)
                #expect(password == "secret")
            }
        }
    }

    @Test("A byte order mark before the password is no part of it")
    func byteOrderMark() throws {
        try withFile([0xEF, 0xBB, 0xBF] + Array("correct horse 7\n".utf8)) { path in
            #expect(throws: Never.self) {
                let password = try Password.read(file: path, credentialsDirectory: nil)
                #expect(password == "correct horse 7")
            }
        }
        try withFile([0xEF, 0xBB, 0xBF, 0x0A]) { path in
            #expect(throws: PasswordError.empty(path: path)) {
                try Password.read(file: path, credentialsDirectory: nil)
            }
        }
    }

    @Test("An empty password file is an error with a remedy, and the text shows nothing of it")
    func bad() throws {
        try withFile([]) { path in
            #expect(throws: PasswordError.empty(path: path)) {
                try Password.read(file: path, credentialsDirectory: nil)
            }
        }
        try withFile([0x61, 0x00, 0x62]) { path in
            #expect(throws: PasswordError.notText(path: path)) {
                try Password.read(file: path, credentialsDirectory: nil)
            }
        }
        try withFile([0xFF, 0xFE]) { path in
            #expect(throws: PasswordError.notText(path: path)) {
                try Password.read(file: path, credentialsDirectory: nil)
            }
        }
        try withFile([UInt8](repeating: 0x78, count: 5_000)) { path in
            #expect(throws: PasswordError.tooLong(path: path, limit: 4_096)) {
                try Password.read(file: path, credentialsDirectory: nil)
            }
        }
    }

    @Test("A configured password file must exist; the service manager's credential need not")
    func missing() throws {
        let missing = PasswordError.unreadable(path: "/nonexistent/file", detail: "No such file or directory")
        #expect(throws: missing) { try Password.read(file: "/nonexistent/file", credentialsDirectory: nil) }
        #expect(try Password.read(file: "", credentialsDirectory: "/nonexistent") == nil)
        #expect(try Password.read(file: "", credentialsDirectory: nil) == nil)
    }

    @Test("A password file that is a pipe, a device or a folder is an error at once, not a wait")
    func notAFile() throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        let named: [(String, FileKind)] = [(pipe, .pipe), ("/dev/null", .device), ("/tmp", .folder)]
        for (path, kind) in named {
            let error = PasswordError.notAFile(path: path, kind: kind)
            #expect(throws: error) { try Password.read(file: path, credentialsDirectory: nil) }
            #expect(error.description.contains("\(kind)") && !error.remedy.isEmpty)
        }
    }

    @Test("Without a password file the service manager's credential counts")
    func credential() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("from systemd\n".utf8).write(to: folder.appending(path: "mqtt-password"))
        #expect(try Password.read(file: "", credentialsDirectory: folder.path) == "from systemd")
    }

    @Test("A login without a username, one without a password and a wrong one are refused with sentences of their own")
    func logins() {
        func failure(_ credential: ConnectionFailure.Credential?) -> ConnectionFailure {
            MosquittoFailure(
                code: 5, number: 0, refusal: .notAuthorized, missing: credential, errorLines: [], host: "h", port: 1,
                wasConnected: false
            ).interpreted
        }
        #expect(failure(nil) == .refused(.notAuthorized))
        #expect(failure(nil).remedy.hasPrefix("the username or the password is not right"))
        #expect(failure(.username) == .loginMissing(.username, .notAuthorized))
        #expect(failure(.username).description.contains("no username is set"))
        #expect(failure(.username).remedy.hasPrefix("set mqtt.username"))
        #expect(failure(.password).description.contains("no password is set"))
        #expect(failure(.password).remedy.hasPrefix("set mqtt.password_file"))
    }

    @Test("A refusal for another reason says nothing of a username that is not set")
    func otherRefusal() {
        let failure = MosquittoFailure(
            code: 5, number: 0, refusal: .serverUnavailable, missing: .username, errorLines: [], host: "h", port: 1,
            wasConnected: false)
        #expect(failure.interpreted == .refused(.serverUnavailable))
    }

    @Test("The remedy for a certificate that does not verify names the root and the chain")
    func chain() {
        let remedy = ConnectionFailure.certificateUntrusted(detail: "d").remedy
        #expect(remedy.contains("the root authority into mqtt.ca_file"))
        #expect(remedy.contains("the broker's certfile"))
    }

    @Test(
        "OpenSSL's error comes with its remedy",
        arguments: [
            ("sslv3 alert certificate revoked", "refused by the broker: certificate revoked", "new certificate"),
            ("tlsv1 alert unknown ca", "refused by the broker: unknown ca", "authority of mqtt.cert_file"),
            ("sslv3 alert certificate expired", "refused by the broker: certificate expired", "run out"),
            ("tlsv13 alert certificate required", "refused by the broker: certificate required", "set mqtt.cert_file"),
            ("key values mismatch", "TLS failed: key values mismatch", "another certificate"),
            ("wrong version number", "TLS failed: wrong version number", "does not speak TLS"),
            ("tlsv1 alert protocol version", "refused by the broker: protocol version", "TLS 1.2"),
            ("the broker ended the handshake", "TLS failed: the broker ended the handshake", "client certificate"),
        ])
    func tlsRemedies(detail: String, text: String, remedy: String) {
        let failure = ConnectionFailure.tls(detail: detail)
        #expect(failure.description.contains(text))
        #expect(failure.remedy.contains(remedy))
    }

    @Test(
        "A file that OpenSSL refuses is named with its key",
        arguments: [
            ("Error: Unable to load client certificate \"/a/b.pem\".", "cert_file"),
            ("Error: Unable to load client key file \"/a/b.pem\".", "key_file"),
            ("Error: Unable to load CA certificates, check cafile \"/a/b.pem\".", "ca_file"),
        ])
    func unusableFiles(line: String, key: String) {
        let failure = MosquittoFailure(
            code: 8, number: 0, errorLines: [line, "OpenSSL Error[0]: error:0480006C:PEM routines::no start line"],
            host: "h", port: 1, wasConnected: false)
        #expect(failure.interpreted == .fileUnusable(key: key, path: "/a/b.pem", detail: "no start line"))
    }

    @Test("Every failure has one line of text and one of remedy")
    func texts() {
        let failures: [ConnectionFailure] = [
            .hostNotFound(host: "h", detail: "d"), .machineAtItsLimit(detail: "d"),
            .unreachable(host: "h", port: 1, detail: "d"),
            .connectTimedOut(host: "h", port: 1), .certificateForAnotherHost(host: "h"),
            .certificateUntrusted(detail: "d"), .tls(detail: "d"),
            .fileUnusable(key: "ca_file", path: "p", detail: "d"),
            .password(.empty(path: "p")), .refused(.badUserNameOrPassword), .loginMissing(.username, .notAuthorized),
            .disconnected(.sessionTakenOver),
            .disconnected(.serverUnavailable), .closedBeforeLogin(host: "h", port: 1), .closedByBroker,
            .keepaliveExpired, .acknowledgementOverdue, .library(call: "c", detail: "d"),
        ]
        for failure in failures {
            #expect(!failure.description.isEmpty && !failure.description.contains("\n"))
            #expect(!failure.remedy.isEmpty && !failure.remedy.contains("\n"))
        }
    }
}
