import Glibc

/// Whether the agent could keep its state in a folder, found out without touching it.
enum StateFolderCheck {
    /// What keeps this user from it; `nil` where nothing does. The agent makes the folder itself, but not what it is in.
    static func obstacle(_ path: String) -> String? {
        if access(path, F_OK) == 0 { return obstacle(inFolder: path, "it") }
        let parent = parent(of: path)
        return obstacle(inFolder: parent, parent)
    }

    private static func obstacle(inFolder path: String, _ name: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return "\(name): \(String(cString: strerror(errno)))" }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(name) is no folder" }
        guard access(path, W_OK | X_OK) == 0 else { return "\(name): \(String(cString: strerror(errno)))" }
        return nil
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
