/// Why the broker password could not be had. It never holds the password.
package enum PasswordError: Error, Hashable, Sendable {
    /// `detail` is the system's text.
    case unreadable(path: String, detail: String)
    /// What is named is no regular file.
    case notAFile(path: String, kind: FileKind)
    /// The file's first line is empty.
    case empty(path: String)
    /// The first line is longer than `limit` bytes: hardly a password.
    case tooLong(path: String, limit: Int)
    /// The first line is not UTF-8 or holds a NUL.
    case notText(path: String)
    /// A password without a user name, which MQTT 3.1.1 forbids.
    case withoutUsername(path: String)
}

extension PasswordError: CustomStringConvertible {
    /// What failed, on one line.
    package var description: String {
        switch self {
        case .unreadable(let path, let detail): "password file \(path): \(detail)"
        case .notAFile(let path, let kind): "password file \(path): it is \(kind), not a regular file"
        case .empty(let path): "password file \(path): its first line is empty"
        case .tooLong(let path, let limit): "password file \(path): its first line is longer than \(limit) bytes"
        case .notText(let path): "password file \(path): its first line is not UTF-8 text"
        case .withoutUsername(let path): "password file \(path) without mqtt.username"
        }
    }

    /// What the operator can do about it, on one line.
    var remedy: String {
        switch self {
        case .unreadable: "let the daemon's user read it, or correct mqtt.password_file"
        case .notAFile: "name a regular file in mqtt.password_file: it is read anew for every connection"
        case .empty, .tooLong, .notText: "write the password, and nothing else, on the first line"
        case .withoutUsername: "set mqtt.username, or use mqtt.protocol = 5"
        }
    }
}
