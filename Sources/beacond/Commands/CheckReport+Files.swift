import Agent
import Core
import Glibc

/// The places beside the state folder that the agent writes to.
extension CheckReport {
    mutating func addFiles(_ settings: Settings) {
        // Of the state folder, which the agent makes itself, a line of its own says how it is.
        if let capture = settings.capture, !Self.isSame(capture.directory, settings.outbox.directory) {
            add("capture", capture.directory, of: "capture.directory") { () throws(FileError) in
                try CaptureFolder(settings: capture).tryWriting()
            }
        }
        let textfile = settings.health.textfile
        if !textfile.isEmpty {
            add("textfile", textfile, of: "health.textfile") { () throws(FileError) in
                try MetricsFile(path: textfile).tryWriting()
            }
        }
    }

    private mutating func add(
        _ subject: String, _ path: String, of key: String, _ tryWriting: () throws(FileError) -> Void
    ) {
        do throws(FileError) {
            try tryWriting()
            add(subject, "\(path) can be written", remedy: "")
        } catch {
            var remedy = error.remedy.map { "\($0), or change \(key)" } ?? "change \(key)"
            if error.cause == .system(EACCES) { remedy += "; run this check as the agent's user" }
            add(subject, "\(path) can't be written: \(error.reason)", remedy: remedy)
        }
    }

    private static func isSame(_ first: String, _ second: String) -> Bool {
        func trimmed(_ path: String) -> Substring {
            var path = path[...]
            while path.count > 1, path.last == "/" { path.removeLast() }
            return path
        }
        return trimmed(first) == trimmed(second)
    }
}
