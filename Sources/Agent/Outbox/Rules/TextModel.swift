/// Compresses a text by its likeness to earlier texts, so that a million events fit on a small card.
///
/// The messages of one gateway differ in a few numbers only. The model is a row of samples of them. A text is written
/// as copies of pieces of the model, and of literal octets. Any text is read back octet for octet. A model only grows,
/// so that texts written with an earlier state of it can still be read.
///
/// | octet | octets that follow | meaning |
/// | --- | --- | --- |
/// | `0nnnnnnn` | n + 1 | these octets themselves |
/// | `10nnnnnn` | – | n + 1 octets of the model, from where the last copy and what was written since would go on |
/// | `11nnnnnn` | 2 | n + 4 octets of the model, from this offset (big-endian) on |
struct TextModel {
    /// The model's size in octets; beyond it, it takes no more samples.
    static let capacity = 1 << 13
    /// A longer text lends only its beginning as a sample: a batch of fixes repeats itself a hundred times.
    private static let longestSample = capacity / 4
    /// A shorter copy from an offset of its own saves nothing.
    private static let shortestCopy = 4
    private static let longestLiteral = 128
    private static let longestContinuation = 64
    private static let longestCopy = 67
    /// The most places of the same four octets that are compared.
    private static let mostPlaces = 16

    /// The fewest letters of a word.
    private static let fewestLetters = 6

    private(set) var octets: [UInt8] = []
    /// The words of the last message that stand in no sample.
    private var lastWords: Set<[UInt8]> = []
    /// The places of each sequence of four octets.
    private var places: [UInt32: [Int]] = [:]

    /// Returns whether `text`, which became `coded`, would shorten later texts as a sample, and has room.
    func lacks(_ text: [UInt8], coded: [UInt8]) -> Bool { coded.count > text.count / 2 && hasRoom(text) }

    /// Returns whether a message would shorten later ones as a sample: also where it repeats a word of the last message
    /// that stands in no sample. An update of the agent brings new fields, and a configuration new names.
    mutating func lacksMessage(_ text: [UInt8], coded: [UInt8]) -> Bool {
        let words = Self.words(coded)
        defer { lastWords = words }
        return lacks(text, coded: coded) || !words.isDisjoint(with: lastWords) && hasRoom(text)
    }

    /// Long texts leave half of the room to the short ones, which are more frequent.
    private func hasRoom(_ text: [UInt8]) -> Bool {
        let isLong = text.count > Self.longestSample
        let capacity = isLong ? Self.capacity / 2 : Self.capacity
        return text.count >= 64 && octets.count + min(text.count, Self.longestSample) <= capacity
    }

    /// The part of a text that is stored as a sample.
    func sample(of text: [UInt8]) -> [UInt8] {
        text.count > Self.longestSample ? Array(text.prefix(Self.longestSample)) : text
    }

    /// The literal octets that have letters: numbers and times never repeat.
    private static func words(_ coded: [UInt8]) -> Set<[UInt8]> {
        var words: Set<[UInt8]> = []
        var rest = coded[...]
        while let octet = rest.popFirst() {
            if octet >= 0xC0 { rest = rest.dropFirst(2) }
            guard octet < 0x80 else { continue }
            let piece = rest.prefix(Int(octet) + 1)
            rest = rest.dropFirst(piece.count)
            let letters = piece.count { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
            if letters >= fewestLetters { words.insert(Array(piece)) }
        }
        return words
    }

    mutating func add(_ sample: [UInt8]) {
        let first = max(0, octets.count - Self.shortestCopy + 1)
        octets += sample
        for place in octets.indices.dropFirst(first).dropLast(Self.shortestCopy - 1) {
            guard let key = Self.key(octets, at: place) else { continue }
            if places[key, default: []].count < Self.mostPlaces { places[key, default: []].append(place) }
        }
    }

    func encode(_ text: [UInt8]) -> [UInt8] {
        var coded: [UInt8] = []
        var literalStart = 0
        var position = 0
        // The place in the model where a text of the same form would stand.
        var expected = 0
        while position < text.count {
            let continued = matchLength(text, position, expected + position)
            let found = continued >= Self.longestContinuation ? nil : longestMatch(text, position)
            if let found, found.length > continued + Self.shortestCopy {
                Self.append(literal: text[literalStart..<position], to: &coded)
                let length = min(found.length, Self.longestCopy)
                coded.append(0xC0 | UInt8(truncatingIfNeeded: length - Self.shortestCopy))
                coded.append(UInt8(truncatingIfNeeded: found.place >> 8))
                coded.append(UInt8(truncatingIfNeeded: found.place))
                expected = found.place - position
                position += length
                literalStart = position
            } else if continued >= 2 {
                Self.append(literal: text[literalStart..<position], to: &coded)
                let length = min(continued, Self.longestContinuation)
                coded.append(0x80 | UInt8(truncatingIfNeeded: length - 1))
                position += length
                literalStart = position
            } else {
                // After a long literal, fewer places are examined: such text is unlike the model.
                position += 1 + (position - literalStart) / 64
            }
        }
        Self.append(literal: text.suffix(from: literalStart), to: &coded)
        return coded
    }

    /// Restores the text; `nil` for octets that `encode` never wrote with this model or an earlier state of it.
    func decode(_ coded: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        var expected = 0
        var rest = coded[...]
        while let octet = rest.popFirst() {
            let length: Int
            if octet < 0x80 {
                length = Int(octet) + 1
                guard rest.count >= length else { return nil }
                text += rest.prefix(length)
                rest = rest.dropFirst(length)
                continue
            } else if octet < 0xC0 {
                length = Int(octet & 0x3F) + 1
            } else {
                guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
                length = Int(octet & 0x3F) + Self.shortestCopy
                expected = (Int(high) << 8 | Int(low)) - text.count
            }
            let start = expected + text.count
            guard start >= 0, start + length <= octets.count else { return nil }
            text += octets[start..<(start + length)]
        }
        return text
    }

    private static func append(literal: ArraySlice<UInt8>, to coded: inout [UInt8]) {
        var rest = literal
        while !rest.isEmpty {
            let piece = rest.prefix(longestLiteral)
            coded.append(UInt8(truncatingIfNeeded: piece.count - 1))
            coded += piece
            rest = rest.dropFirst(piece.count)
        }
    }

    private func longestMatch(_ text: [UInt8], _ position: Int) -> (place: Int, length: Int)? {
        guard let key = Self.key(text, at: position), let candidates = places[key] else { return nil }
        var best = (place: 0, length: 0)
        for place in candidates {
            let length = matchLength(text, position, place)
            if length > best.length { best = (place, length) }
        }
        return best
    }

    /// The number of octets that `text` from `position` shares with the model from `place`.
    private func matchLength(_ text: [UInt8], _ position: Int, _ place: Int) -> Int {
        guard place >= 0 else { return 0 }
        var length = 0
        while position + length < text.count, place + length < octets.count,
            text[position + length] == octets[place + length]
        {
            length += 1
        }
        return length
    }

    private static func key(_ octets: [UInt8], at place: Int) -> UInt32? {
        guard place + shortestCopy <= octets.count else { return nil }
        return UInt32(octets[place]) << 24 | UInt32(octets[place + 1]) << 16 | UInt32(octets[place + 2]) << 8
            | UInt32(octets[place + 3])
    }
}
