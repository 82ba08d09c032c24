import Glibc

/// The broker password: the first line of `[mqtt] password_file`, else of `$CREDENTIALS_DIRECTORY/mqtt-password`.
///
/// It is read for every connection, so that a new one takes effect without a restart.
enum Password {
    /// A file longer than this is not a password file. MQTT's own limit is 65 535 bytes.
    static let maxLength_bytes = 4_096

    /// `nil` where none is configured and the service manager gave none.
    static func read(file: String, credentialsDirectory: String?) throws(PasswordError) -> String? {
        if !file.isEmpty { return try firstLine(path: file) }
        guard let credentialsDirectory, !credentialsDirectory.isEmpty else { return nil }
        let path = credentialsDirectory + "/mqtt-password"
        guard access(path, F_OK) == 0 else { return nil }
        return try firstLine(path: path)
    }

    /// systemd's `LoadCredential=` names its directory so.
    static var credentialsDirectory: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

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
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { throw .empty(path: path) }
        guard line.count <= maxLength_bytes else { throw .tooLong(path: path, limit: maxLength_bytes) }
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else {
            throw .notText(path: path)
        }
        return text
    }
}
