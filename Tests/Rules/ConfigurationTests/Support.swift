import Configuration

/// The errors in a text, as they are shown but without the lines of keys (`PlaceTests` has those); none where it parses.
func complaints(_ text: String) -> [String] {
    do throws(ConfigurationErrors) {
        _ = try Settings.parse(text)
        return []
    } catch {
        return error.errors.map { error in
            var error = error
            if error.column == nil { error.line = nil }
            return error.description
        }
    }
}

/// A `[[region]]` that lacks nothing, with more lines of its own.
func region(_ lines: String = "", id: String = "carts") -> String {
    "[[region]]\nid = \"\(id)\"\nuuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\"\n\(lines)\n"
}

/// A table with one line in it. `region` gets what it needs beside it.
func document(table: String, line: String) -> String {
    table == "region" ? region(line) : "[\(table)]\n\(line)\n"
}

/// SplitMix64: the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
