import Core
import Glibc

/// What tells one version of a file from another without reading it: a key need not be kept in memory to be compared.
struct FileStamp: Hashable {
    private let device: dev_t
    private let inode: ino_t
    private let size_bytes: off_t
    private let modified_s: Int
    private let modified_ns: Int

    /// `nil` where there is no such file, or none that may be looked at.
    init?(path: String) {
        var information = stat()
        guard !path.isEmpty, stat(path, &information) == 0 else { return nil }
        device = information.st_dev
        inode = information.st_ino
        size_bytes = information.st_size
        modified_s = information.st_mtim.tv_sec
        modified_ns = information.st_mtim.tv_nsec
    }
}

/// A configuration and the files that it names: equal to another where a start with either does the same.
struct ConfigurationVersion: Equatable {
    let settings: Settings
    private let credentials: [FileStamp?]

    /// Looks at the files as they are now.
    init(_ settings: Settings) {
        var settings = settings
        // The name of a key changes nothing.
        settings.renamedKeys = []
        self.settings = settings
        let broker = settings.broker
        credentials = [broker.passwordFile, broker.caFile, broker.certificateFile, broker.keyFile].map(FileStamp.init)
    }
}
