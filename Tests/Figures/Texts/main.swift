import Glibc

// Writes texts as the outbox does and with other libraries, and prints for each a line: name, nanoseconds in, nanoseconds out, octets of
// samples, and what each text has become, in octets. Built with TextModel.swift and peers.c by `measure`.
//
//     texts CORPUS PRESET        files of texts, each with its length before it, in four octets

func texts(_ path: String) -> [[UInt8]] {
    guard let file = fopen(path, "rb") else { fatalError("can't open \(path)") }
    defer { fclose(file) }
    var texts: [[UInt8]] = []
    var length: UInt32 = 0
    while fread(&length, 4, 1, file) == 1 {
        var text = [UInt8](repeating: 0, count: Int(length))
        precondition(fread(&text, 1, text.count, file) == text.count)
        texts.append(text)
    }
    return texts
}

func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

protocol Codec: AnyObject {
    func use(_ dictionary: [UInt8])
    func encode(_ text: [UInt8]) -> [UInt8]
    func decode(_ coded: [UInt8]) -> [UInt8]
}

final class Own: Codec {
    private var model = TextModel()
    func use(_ dictionary: [UInt8]) { model.add(Array(dictionary[model.octets.count...])) }
    func encode(_ text: [UInt8]) -> [UInt8] { model.encode(text) }
    func decode(_ coded: [UInt8]) -> [UInt8] { model.decode(coded) ?? [] }
}

final class None: Codec {
    func use(_ dictionary: [UInt8]) {}
    func encode(_ text: [UInt8]) -> [UInt8] { text }
    func decode(_ coded: [UInt8]) -> [UInt8] { coded }
}

final class Zlib: Codec {
    private var dictionary: [UInt8] = []
    private var out = [UInt8](repeating: 0, count: 1 << 20)
    func use(_ dictionary: [UInt8]) { self.dictionary = dictionary }
    func encode(_ text: [UInt8]) -> [UInt8] {
        Array(out[..<zlib_encode(dictionary, dictionary.count, text, text.count, &out, out.count)])
    }
    func decode(_ coded: [UInt8]) -> [UInt8] {
        Array(out[..<zlib_decode(dictionary, dictionary.count, coded, coded.count, &out, out.count)])
    }
}

final class Zstd: Codec {
    private let level: Int32
    private var out = [UInt8](repeating: 0, count: 1 << 20)
    init(level: Int32) { self.level = level }
    func use(_ dictionary: [UInt8]) { zstd_begin(dictionary, dictionary.count, level) }
    func encode(_ text: [UInt8]) -> [UInt8] { Array(out[..<zstd_encode(text, text.count, &out, out.count)]) }
    func decode(_ coded: [UInt8]) -> [UInt8] { Array(out[..<zstd_decode(coded, coded.count, &out, out.count)]) }
}

/// - Parameter preset: the dictionary for all; `nil` where samples are taken from the texts, as the outbox takes them.
func play(_ name: String, _ texts: [[UInt8]], _ codec: any Codec, preset: [UInt8]?) {
    var policy = TextModel()
    var samples = preset ?? []
    codec.use(samples)
    let sizes = texts.map { text in
        if preset == nil, policy.lacksMessage(text, coded: policy.encode(text)) {
            policy.add(policy.sample(of: text))
            samples = policy.octets
            codec.use(samples)
        }
        let coded = codec.encode(text)
        precondition(codec.decode(coded) == text, name)
        return coded.count
    }
    let rounds = max(20_000 / texts.count, 1)
    let begin = processorTime()
    for _ in 0..<rounds { for text in texts { _ = codec.encode(text) } }
    let middle = processorTime()
    let coded = texts.map(codec.encode)
    let middleAgain = processorTime()
    for _ in 0..<rounds { for text in coded { _ = codec.decode(text) } }
    let times = Double(rounds * texts.count)
    let (encoding, decoding) = ((middle - begin) / times, (processorTime() - middleAgain) / times)
    print(
        "\(name)\t\(Int(encoding))\t\(Int(decoding))\t\(preset == nil ? samples.count : 0)\t"
            + sizes.map(String.init).joined(separator: " "))
}

let corpus = texts(CommandLine.arguments[1])
// As much of the other texts as the outbox would keep of its own.
let preset = texts(CommandLine.arguments[2]).reduce(into: [UInt8]()) { if $0.count + $1.count <= 8_192 { $0 += $1 } }
play("TextModel", corpus, Own(), preset: nil)
play("zlib, samples", corpus, Zlib(), preset: nil)
play("zlib, preset", corpus, Zlib(), preset: preset)
play("zstd 3, samples", corpus, Zstd(level: 3), preset: nil)
play("zstd 9, samples", corpus, Zstd(level: 9), preset: nil)
play("zstd 9, preset", corpus, Zstd(level: 9), preset: preset)
play("none", corpus, None(), preset: [])
