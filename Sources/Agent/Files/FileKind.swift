import Glibc

/// What stands under a name that is no regular file.
package enum FileKind: String, Hashable, Sendable, CustomStringConvertible {
    case folder = "a folder"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"

    package var description: String { rawValue }

    /// What stands at `path`, links followed; `nil` for a regular file, and where there is nothing that can be looked at.
    package static func ofFile(at path: String) -> FileKind? {
        var status = stat()
        return stat(path, &status) == 0 ? FileKind(mode: status.st_mode) : nil
    }

    /// `nil` for a regular file.
    init?(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: self = .folder
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        default: self = .device
        }
    }
}
