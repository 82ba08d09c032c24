import Agent
import Core

/// A capture file, record by record.
struct CaptureFile: ~Copyable {
    private var file: InputFile
    private var reader = BTSnoopReader()
    private var buffer: [UInt8] = []
    private var position = 0

    static let pieceLength = 1 << 18

    init(path: String) throws(FileError) {
        // The file is opened before the struct exists: see InputFile.
        self.init(try InputFile(path: path, mayBePipe: true))
    }

    private init(_ file: consuming InputFile) { self.file = file }

    /// The reason why reading ended before the end of the file.
    enum Problem: Error {
        case file(FileError)
        case capture(BTSnoopError)
    }

    /// For `poll`, to wait for more to read.
    var descriptor: Int32 { file.descriptor }

    /// Passes the next record that was read to `body`, with the octets of its event, if it has one.
    ///
    /// - Returns: `false` where more has to be read first.
    mutating func next(_ body: (BTSnoopReader.Record, Span<UInt8>) -> Void) throws(Problem) -> Bool {
        guard let record = try nextInBuffer() else { return false }
        body(record, buffer.span.extracting(record.event ?? 0..<0))
        return true
    }

    private mutating func nextInBuffer() throws(Problem) -> BTSnoopReader.Record? {
        // The reader and the position leave `self` while its buffer is lent as a span.
        var (reader, position) = (self.reader, self.position)
        do throws(BTSnoopError) {
            let record = try reader.next(buffer.span, from: &position)
            (self.reader, self.position) = (reader, position)
            return record
        } catch {
            throw .capture(error)
        }
    }

    /// Moves the unread rest to the front and reads the next piece; `false` at the end of the file.
    mutating func readMore() throws(Problem) -> Bool {
        let rest = buffer[position...]
        do throws(FileError) {
            buffer = try file.read(after: rest, count: Self.pieceLength)
        } catch {
            throw .file(error)
        }
        position = 0
        if buffer.count > rest.count { return true }
        do throws(BTSnoopError) {
            try reader.finish(remaining: buffer.count)
        } catch {
            throw .capture(error)
        }
        return false
    }
}
