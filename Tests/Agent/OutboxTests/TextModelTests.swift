import TestAir
import Testing

@testable import Agent

@Suite("Texts are stored as what distinguishes them from samples")
struct TextModelTests {
    private func event(_ seq: Int, minor: Int, minute: Int) -> [UInt8] {
        Array(
            """
            beacons/store/gateway/region/carts/1/\(minor)/event\0{"schema":1,"at":"2026-11-21T07:\(minute):44.\(seq % 900 + 100)Z",\
            "clock":"synced","epoch":"01M7YFBND8NHZK0BZS3VJ4ZZ24","seq":\(seq),"type":"enter","region":"carts",\
            "uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","major":1,"minor":\(minor),"rssi_dbm":-\(50 + seq % 40).4,\
            "accuracy_m":\(seq % 9).25,"proximity":"near"}
            """.utf8)
    }

    @Test("An event like an earlier one takes less than a third, and is read back octet for octet")
    func short() throws {
        var model = TextModel()
        model.add(event(1, minor: 7, minute: 15))
        for seq in 2..<500 {
            let text = event(seq, minor: seq * 131 % 60_000, minute: 10 + seq % 50)
            let coded = model.encode(text)
            #expect(coded.count * 3 < text.count)
            #expect(model.decode(coded) == text)
        }
    }

    @Test("A field that no sample has costs twice: then it becomes a sample, and events are as short as before")
    func newField() throws {
        func plain(_ seq: Int) -> [UInt8] { event(seq, minor: seq * 131 % 60_000, minute: 10 + seq % 50) }
        func wider(_ seq: Int) -> [UInt8] {
            let text = plain(seq)
            let place = (text.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
            return text[..<place] + Array(#""site":"berlin-17","gateway":"entrance","#.utf8) + text[place...]
        }
        var model = TextModel()
        model.add(event(1, minor: 7, minute: 15))
        let before = model
        var samples: [Int] = []
        var growth: [Int] = []
        for seq in 2..<200 {
            let coded = model.encode(wider(seq))
            growth.append(coded.count - before.encode(plain(seq)).count)
            if model.lacksMessage(wider(seq), coded: coded) {
                samples.append(seq)
                model.add(wider(seq))
            }
        }
        #expect(samples == [3])
        #expect(growth[0] > 20 && growth[2...].reduce(0, +) < 5 * growth.count)
    }

    @Test("Any text is read back octet for octet, whatever the samples are, also once there are more of them")
    func anyText() throws {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<300 {
            // Few different octets give many accidental copies.
            let letters = UInt8.random(in: 1...(round.isMultiple(of: 2) ? 255 : 3), using: &generator)
            func text(_ longest: Int) -> [UInt8] {
                (0..<Int.random(in: 0...longest, using: &generator)).map { _ in
                    .random(in: 0...letters, using: &generator)
                }
            }
            var model = TextModel()
            for _ in 0..<Int.random(in: 0...3, using: &generator) { model.add(text(400)) }
            let texts = (0..<10).map { _ in text(600) }
            let coded = texts.map(model.encode)
            model.add(text(400))
            #expect(coded.map(model.decode) == texts)
        }
    }

    @Test("Octets that no model wrote are refused or give some text, and never trap")
    func hostile() throws {
        var generator = SeededGenerator(seed: 6)
        var model = TextModel()
        model.add(event(1, minor: 7, minute: 15))
        let coded = model.encode(event(2, minor: 8, minute: 16))
        #expect(model.decode([]) == nil)
        #expect(model.decode([2] + coded.dropFirst()) == nil)
        #expect(model.decode(coded.dropLast()) == nil)
        #expect(model.decode(coded + [0]) == nil)
        #expect(TextModel().decode(coded) == nil)
        for _ in 0..<5_000 {
            let octets = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            // Two bits can stand for 258 octets.
            if let text = model.decode([1] + octets) { #expect(text.count <= 40 * 4 * 258) }
        }
    }

    @Test("A text above the limit is not read, and costs no more memory than the limit")
    func long() throws {
        let model = TextModel()
        let longest = [UInt8](repeating: 0x41, count: TextModel.longestText)
        #expect(model.decode(model.encode(longest)) == longest)
        #expect(model.decode(model.encode(longest + [0x41])) == nil)
    }

    @Test("A text that copies do not shorten becomes a sample, until there are enough")
    func samples() throws {
        var generator = SeededGenerator(seed: 7)
        var model = TextModel()
        var taken = 0
        for _ in 0..<1_000 {
            let text = (0..<500).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if model.lacks(text, coded: model.encode(text)) {
                model.add(text)
                taken += 1
            }
        }
        #expect(taken == TextModel.capacity / 500)
        #expect(!model.lacks([1, 2, 3], coded: [2, 1, 2, 3]))
    }
}
