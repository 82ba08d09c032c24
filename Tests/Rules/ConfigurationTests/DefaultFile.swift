import Foundation
import Testing

@testable import Core

/// `config.toml` and the reference article, found by walking up from this file to the package's root.
enum DefaultFile {
    static func root() throws -> URL {
        var folder = URL(filePath: #filePath)
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) { return folder }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    static func text() throws -> String {
        try String(contentsOf: try root().appending(path: "config.toml"), encoding: .utf8)
    }

    static func articlePath() throws -> URL {
        try root().appending(path: "Sources/beacond/Documentation.docc/Configuration.md")
    }

    static func article() throws -> String { try String(contentsOf: try articlePath(), encoding: .utf8) }

    /// A short text, so that a mutation hits an important part.
    static func withoutComments() throws -> String {
        try text().split(separator: "\n").map { $0.prefix { $0 != "#" } }.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
