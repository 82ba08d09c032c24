import Foundation
import Testing

@testable import Agent

@Suite("No file named by a configuration or a command makes the process wait")
struct NamedFileTests {
    /// A folder for a pipe without a writer or reader.
    private func withPipe(_ body: (String) throws -> Void) throws {
        let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("pipe-\(UUID())").path
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        try body(pipe)
    }

    private func failure(_ body: () throws(FileError) -> Int32) -> FileError? {
        do throws(FileError) {
            close(try body())
            return nil
        } catch {
            return error
        }
    }

    @Test("A pipe, a device and a folder are not read, and the error names their kind")
    func kinds() throws {
        try withPipe { pipe in
            for (path, kind) in [(pipe, FileKind.pipe), ("/dev/zero", .device), ("/tmp", .folder)] {
                let error = try #require(failure { () throws(FileError) in try NamedFile.open(path) })
                #expect(error.cause == .kind(kind))
                let text = "\(path): can't open it: it is \(kind), not a regular file; name a"
                #expect(error.description.hasPrefix(text))
            }
        }
    }

    @Test("A file of the configuration that is called - is not standard input")
    func dash() {
        #expect(throws: FileError.self) { try InputFile.readAll("-", limit: 1) }
    }

    @Test("A capture may come through a pipe: it is opened at once, and polled until its writer comes")
    func captures() throws {
        try withPipe { pipe in
            let reader = try NamedFile.open(pipe, mayBePipe: true)
            defer { close(reader) }
            var input = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            #expect(poll(&input, 1, 0) == 0)
            let writer = open(pipe, O_WRONLY | O_NONBLOCK)
            #expect(write(writer, "b", 1) == 1)
            close(writer)
            #expect(poll(&input, 1, 0) == 1)
        }
    }

    @Test("A link counts as its target, and a link to nothing as a missing file")
    func links() throws {
        let link = FileManager.default.temporaryDirectory.appendingPathComponent("link-\(UUID())").path
        defer { unlink(link) }
        try #require(symlink("/dev/zero", link) == 0)
        #expect(failure { () throws(FileError) in try NamedFile.open(link) }?.cause == .kind(.device))
        unlink(link)
        try #require(symlink("/nonexistent", link) == 0)
        #expect(failure { () throws(FileError) in try NamedFile.open(link) }?.cause == .system(ENOENT))
    }

    @Test("A pipe with a reader is written to; without a reader it is an error")
    func writing() throws {
        try withPipe { pipe in
            let error = try #require(failure { () throws(FileError) in try NamedFile.create(pipe, mode: 0o600) })
            #expect(error.cause == .system(ENXIO))
            #expect(error.description.contains("start what reads from that pipe first"))
            let reader = open(pipe, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            #expect(failure { () throws(FileError) in try NamedFile.create(pipe, mode: 0o600) } == nil)
        }
    }
}
