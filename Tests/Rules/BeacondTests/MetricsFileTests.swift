import Foundation
import Testing

@testable import beacond

@Suite("The file for node_exporter", .serialized)
struct MetricsFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path

    private func withFolder(_ body: (String) throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/beacond.prom")
    }

    @Test("Each write replaces the whole file: a reader that has it open reads the old one to the end")
    func replaced() throws {
        try withFolder { path in
            var file = MetricsFile(path: path)
            #expect(file.write(Array("one\n".utf8)) == nil)
            let reader = try #require(FileHandle(forReadingAtPath: path))
            #expect(file.write(Array("another\n".utf8)) == nil)
            #expect(try reader.readToEnd() == Data("one\n".utf8))
            #expect(FileManager.default.contents(atPath: path) == Data("another\n".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["beacond.prom"])
        }
    }

    @Test("A store's agent writes beside the gateway's file, and its file also ends in .prom")
    func ofSite() {
        #expect(MetricsFile.ofSite(beside: "/var/x.y/beacond.prom") == "/var/x.y/beacond-site.prom")
        #expect(MetricsFile.ofSite(beside: "/var/x.prom/figures") == "/var/x.prom/figures-site")
    }

    @Test("Others may read it with any umask of the process")
    func readable() throws {
        try withFolder { path in
            let mask = umask(0o077)
            defer { umask(mask) }
            var file = MetricsFile(path: path)
            #expect(file.write([]) == nil)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o644)
        }
    }

    @Test("A failure is logged once, with key and path, and once more when it comes back")
    func loggedOnce() throws {
        try withFolder { path in
            let missing = folder + "/later"
            var file = MetricsFile(path: missing + "/beacond.prom")
            let complaint = file.write([1])
            let line = try #require(complaint)
            #expect(line.hasPrefix("health.textfile \(missing)/beacond.prom.tmp: "))
            #expect(file.write([1]) == nil)
            try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: false)
            #expect(file.write([1]) == nil)
            try FileManager.default.removeItem(atPath: missing)
            #expect(file.write([1]) == line)
        }
    }
}
