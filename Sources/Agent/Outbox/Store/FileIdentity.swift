import Glibc

/// Which file stands under a name, as opposed to the one that was opened by it.
enum FileIdentity: Hashable {
    case file(device: UInt, inode: UInt)
    case missing
    /// The disk does not say.
    case unknown

    init(path: String) {
        var information = stat()
        if stat(path, &information) == 0 {
            self = .file(device: UInt(information.st_dev), inode: UInt(information.st_ino))
        } else {
            self = errno == ENOENT || errno == ENOTDIR ? .missing : .unknown
        }
    }

    init(descriptor: Int32) {
        var information = stat()
        if fstat(descriptor, &information) == 0 {
            self = .file(device: UInt(information.st_dev), inode: UInt(information.st_ino))
        } else {
            self = .unknown
        }
    }

    /// Whether the name, which stood for this file, stands for another one by now, or for none.
    func isReplaced(by now: FileIdentity) -> Bool { self != now && self != .unknown && now != .unknown }
}
