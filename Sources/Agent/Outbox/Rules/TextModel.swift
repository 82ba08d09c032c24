import CZlib

/// Compresses a text with zlib by its likeness to earlier texts, so that a million events fit on a small card.
///
/// The messages of one gateway differ in a few numbers only. The model is a row of samples of them, which is zlib's
/// preset dictionary. A model only grows, and a text names the samples that it was written with, so that it can still
/// be read later.
///
/// | octets | meaning |
/// | --- | --- |
/// | 0 | the number of samples, in their order; 255 for a text that follows as it is |
/// | 1… | the text, as RFC 1951 has it |
struct TextModel {
    /// The model's size in octets; beyond it, it takes no more samples.
    static let capacity = 1 << 13
    /// The longest text that is read.
    static let longestText = 1 << 24
    /// A longer text lends only its beginning as a sample: a batch of fixes repeats itself a hundred times.
    private static let longestSample = capacity / 4
    private static let shortestSample = 64
    private static let uncompressed: UInt8 = 255
    /// A message shortens later ones if it repeats as many octets of the last message that stand in no sample.
    private static let leastRepeated = 24

    private(set) var octets: [UInt8] = []
    /// The end of each sample in `octets`. There are at most `capacity / shortestSample` of them.
    private var ends: [Int] = []
    private var lastMessage: [UInt8] = []

    /// Returns whether `text`, which became `coded`, would shorten later texts as a sample, and has room.
    func lacks(_ text: [UInt8], coded: [UInt8]) -> Bool { coded.count > text.count / 3 && hasRoom(text) }

    /// Returns whether a message would shorten later ones as a sample: also where it repeats a piece of the last message
    /// that stands in no sample. An update of the agent brings new fields, and a configuration new names.
    mutating func lacksMessage(_ text: [UInt8], coded: [UInt8]) -> Bool {
        defer { lastMessage = sample(of: text) }
        if lacks(text, coded: coded) { return true }
        guard !lastMessage.isEmpty, hasRoom(text), text.count <= Self.longestSample else { return false }
        let likeLast = Zlib.deflate(text, after: octets + lastMessage)
        return likeLast.map { $0.count + 1 + Self.leastRepeated <= coded.count } ?? false
    }

    /// Long texts leave half of the room to the short ones, which are more frequent.
    private func hasRoom(_ text: [UInt8]) -> Bool {
        let isLong = text.count > Self.longestSample
        let capacity = isLong ? Self.capacity / 2 : Self.capacity
        return text.count >= Self.shortestSample && octets.count + min(text.count, Self.longestSample) <= capacity
    }

    /// The part of a text that is stored as a sample.
    func sample(of text: [UInt8]) -> [UInt8] {
        text.count > Self.longestSample ? Array(text.prefix(Self.longestSample)) : text
    }

    mutating func add(_ sample: [UInt8]) {
        octets += sample
        ends.append(octets.count)
    }

    func encode(_ text: [UInt8]) -> [UInt8] {
        guard let samples = UInt8(exactly: ends.count), samples != Self.uncompressed,
            let deflated = Zlib.deflate(text, after: octets)
        else { return [Self.uncompressed] + text }
        return [samples] + deflated
    }

    /// Restores the text; `nil` for octets that `encode` never wrote with this model or an earlier state of it.
    func decode(_ coded: [UInt8]) -> [UInt8]? {
        guard let samples = coded.first else { return nil }
        if samples == Self.uncompressed { return Array(coded.dropFirst()) }
        guard samples <= ends.count else { return nil }
        let end = samples == 0 ? 0 : ends[Int(samples) - 1]
        return Zlib.inflate(coded.dropFirst(), after: octets[..<end], upTo: Self.longestText)
    }
}

/// The library's calls for a whole text. A stream of its own for each text takes 96 KiB for the time of the call.
private enum Zlib {
    /// Returns `nil` where there is no memory.
    static func deflate(_ text: [UInt8], after dictionary: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard beacond_deflate_init(&stream) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        guard dictionary.isEmpty || deflateSetDictionary(&stream, dictionary, UInt32(dictionary.count)) == Z_OK,
            let length = UInt32(exactly: text.count), let bound = Int(exactly: deflateBound(&stream, UInt(length)))
        else { return nil }
        var result = Int32(Z_OK)
        let deflated = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            text.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = length
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: output.count)
                result = CZlib.deflate(&stream, Z_FINISH)
            }
            count = output.count - Int(stream.avail_out)
        }
        return result == Z_STREAM_END ? deflated : nil
    }

    /// Returns `nil` for octets that are no whole text, or one longer than `limit`.
    static func inflate(_ coded: ArraySlice<UInt8>, after dictionary: ArraySlice<UInt8>, upTo limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard beacond_inflate_init(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        let isSet = dictionary.withUnsafeBufferPointer {
            $0.isEmpty || inflateSetDictionary(&stream, $0.baseAddress, UInt32(clamping: $0.count)) == Z_OK
        }
        guard isSet, let length = UInt32(exactly: coded.count) else { return nil }
        return coded.withUnsafeBufferPointer { input -> [UInt8]? in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = length
            var (text, result): ([UInt8], Int32) = ([], Z_OK)
            while result == Z_OK, text.count <= limit {
                text += [UInt8](unsafeUninitializedCapacity: max(1_024, text.count)) { output, count in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(clamping: output.count)
                    result = CZlib.inflate(&stream, Z_NO_FLUSH)
                    count = output.count - Int(stream.avail_out)
                }
            }
            return result == Z_STREAM_END && stream.avail_in == 0 && text.count <= limit ? text : nil
        }
    }
}
