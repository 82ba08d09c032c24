import Foundation
import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("The folder of captures")
struct CaptureFolderTests {
    private let event: [UInt8] = [0x3E, 2, 2, 0]

    /// A folder that is removed after the test.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("beacond-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func recent() -> RecentEvents {
        let recent = RecentEvents(capacity: 1 << 16)
        for second in 0..<10 { recent.push(event.span, at: .origin + .seconds(Double(second))) }
        return recent
    }

    private func settings(_ directory: String, maxFiles: Int = 2) throws -> CaptureSettings {
        let text = "[capture]\nenabled = true\nmax_files = \(maxFiles)\ndirectory = \"\(directory)\"\n"
        return try #require(try Settings.parse(text).capture)
    }

    @Test("All kept events are written, and the folder contains nothing else")
    func dump() throws {
        try inFolder { path in
            let said = try CaptureFolder(settings: try settings(path)).dump(recent())
            #expect(said.hasSuffix(".btsnoop: 10 events"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
        }
    }

    @Test("The newest captures stay, as many as configured, and other files stay")
    func surplus() throws {
        try inFolder { path in
            for name in ["capture-20200101T000000Z.btsnoop", "capture-20210101T000000Z.btsnoop", "notes.txt"] {
                #expect(FileManager.default.createFile(atPath: path + "/" + name, contents: Data()))
            }
            _ = try CaptureFolder(settings: try settings(path)).dump(recent())
            let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            #expect(names.count == 3)
            #expect(names.first == "capture-20210101T000000Z.btsnoop")
            #expect(names.last == "notes.txt")
        }
    }

    @Test("The capture just written stays, even on a machine whose clock is behind")
    func clockBehind() throws {
        try inFolder { path in
            for year in [2090, 2091] {
                let name = "capture-\(year)0101T000000Z.btsnoop"
                #expect(FileManager.default.createFile(atPath: path + "/" + name, contents: Data()))
            }
            let said = try CaptureFolder(settings: try settings(path)).dump(recent())
            let written = try #require(said.split(separator: ":").first)
            #expect(FileManager.default.fileExists(atPath: String(written)))
            let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            #expect(names.count == 2)
            #expect(names.last == "capture-20910101T000000Z.btsnoop")
        }
    }

    @Test("Captures of one second are separate files, and the last is the newest by name")
    func sameSecond() throws {
        try inFolder { path in
            let folder = CaptureFolder(settings: try settings(path, maxFiles: 20))
            var written: [String] = []
            for _ in 0..<12 {
                let said = try folder.dump(recent())
                written.append(String(try #require(said.split(separator: ":").first?.split(separator: "/").last)))
            }
            #expect(written == written.sorted())
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == written)
        }
    }

    @Test("A second has 999 names in order; then the writer waits for the next second")
    func manyNames() {
        let stem = "capture-19700101T000000Z"
        func next(after name: String) -> String? {
            CaptureFolder.name(at: .unixEpoch, besides: ["notes.txt", stem + ".btsnoop", name])
        }
        #expect(CaptureFolder.name(at: .unixEpoch, besides: ["notes.txt"]) == stem + ".btsnoop")
        #expect(next(after: "capture-20210101T000000Z_007.btsnoop") == stem + "_002.btsnoop")
        #expect(next(after: stem + "_002.btsnoop") == stem + "_003.btsnoop")
        #expect(next(after: stem + "_009.btsnoop") == stem + "_010.btsnoop")
        #expect(next(after: stem + "_999.btsnoop") == nil)
    }

    @Test("A capture that cannot be completed gives the reason, leaves no file, and deletes no older one")
    func failure() throws {
        try inFolder { path in
            let older = "capture-20200101T000000Z.btsnoop"
            #expect(FileManager.default.createFile(atPath: path + "/" + older, contents: Data([1])))
            // The unfinished capture is a device that is always full.
            try FileManager.default.createSymbolicLink(
                atPath: path + "/.capture.part", withDestinationPath: "/dev/full")
            #expect {
                try CaptureFolder(settings: try settings(path, maxFiles: 1)).dump(recent())
            } throws: {
                "\($0)".contains("No space left")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [older])
        }
    }

    @Test("A writer that could not begin leaves no descriptor open")
    func descriptors() throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<50 { #expect(throws: FileError.self) { _ = try CaptureWriter(path: "/dev/full", mode: 0o600) } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < before + 25)
    }
}
