@testable import Core

/// Feeds a btsnoop capture, in pieces as a file is read. The first octet gives their size.
func feedCapture(_ octets: [UInt8]) {
    let step = max(1, Int(octets.first ?? 1))
    let capture = Array(octets.dropFirst())
    var reader = BTSnoopReader()
    var position = 0
    var end = 0
    do throws(BTSnoopError) {
        while end < capture.count {
            end = min(capture.count, end + step)
            while let record = try next(&reader, capture.span.extracting(0..<end), from: &position) {
                if let event = record.event {
                    require(event.lowerBound >= 0 && event.upperBound <= end, "an event stands in what was read")
                    feedEvent(Array(capture[event]))
                }
                require(position <= end, "nothing is read that is not there")
            }
        }
        try reader.finish(remaining: capture.count - position)
    } catch {
        _ = "\(error)"
    }
}

private func next(
    _ reader: inout BTSnoopReader, _ octets: Span<UInt8>, from position: inout Int
) throws(BTSnoopError) -> BTSnoopReader.Record? {
    let before = position
    let record = try reader.next(octets, from: &position)
    require(record == nil || position > before, "a record takes octets, so reading ends")
    return record
}
