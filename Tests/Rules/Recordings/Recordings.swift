import Foundation

/// Recordings of real air. They are no part of the project: `BEACOND_RECORDINGS` names their folder.
public enum Recordings {
    /// One of the recordings' folders; `nil` where there is none.
    public static func folder(_ name: String) -> URL? {
        guard let path = ProcessInfo.processInfo.environment["BEACOND_RECORDINGS"], !path.isEmpty else { return nil }
        let folder = URL(fileURLWithPath: path).appendingPathComponent(name)
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }
}
