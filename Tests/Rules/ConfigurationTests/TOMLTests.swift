import Testing

@testable import Core

/// TOML 1.0.0, rule by rule.
struct TOMLTests {
    func value(_ text: String) throws -> DocumentValue? { try TOMLDocument.parse("x = \(text)")["x"] }

    @Test("An integer is decimal, hexadecimal, octal or binary, with underscores between digits")
    func integers() throws {
        for (text, integer): (String, Int64) in [
            ("0", 0), ("+0", 0), ("-0", 0), ("+99", 99), ("-17", -17), ("1_000", 1000), ("5_3_4", 534),
            ("0xDEAD_beef", 0xDEAD_BEEF),
            ("0o755", 0o755), ("0b1101", 0b1101), ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ] {
            #expect(try value(text) == .integer(integer))
        }
        for text in [
            "01", "-01", "1__0", "_1", "1_", "+", "0x", "0xG", "+0x1", "0b2", "0o8", "9223372036854775808",
            "0x8000000000000000", "1a",
        ] {
            #expect(throws: ConfigurationError.self) { try value(text) }
        }
    }

    @Test("A float has a fraction, an exponent or both")
    func floats() throws {
        for (text, float) in [
            ("+1.0", 1.0), ("3.1415", 3.1415), ("-0.01", -0.01), ("5e+22", 5e22), ("1e06", 1e6), ("-2E-2", -0.02),
            ("6.626e-34", 6.626e-34), ("224_617.445_991", 224617.445991), ("1e400", .infinity), ("inf", .infinity),
            ("-inf", -.infinity),
        ] {
            #expect(try value(text) == .number(float))
        }
        guard case .number(let notANumber) = try #require(try value("-nan")) else { throw Unexpected() }
        #expect(notANumber.isNaN)
        for text in [
            ".7", "7.", "3.e20", "1.e1", "01.5", "1._5", "1e", "1e+", "1e1.5", "e5", "Inf", "+-1.0", "1.5.2", "0x1p3",
        ] {
            #expect(throws: ConfigurationError.self) { try value(text) }
        }
    }

    struct Unexpected: Error {}

    @Test("Dates and times differ from numbers")
    func dates() throws {
        for text in [
            "1979-05-27", "07:32:00", "00:32:00.999999", "1979-05-27T07:32:00", "1979-05-27 07:32:00",
            "1979-05-27t07:32:00z",
            "1979-05-27T00:32:00.5-07:00", "1979-05-27 07:32:00Z # after",
        ] {
            #expect(try value(text) == .time)
        }
        for text in [
            "1979-05", "1979-05-27T", "07:32", "07:32:00.", "07:32:00Z", "1979-05-27T07:32:00+7:00", "1979-05-27 x",
        ] {
            #expect(throws: ConfigurationError.self) { try value(text) }
        }
    }

    @Test("A basic string has escapes, a literal one has none")
    func strings() throws {
        #expect(try value(#""a\tb\n\"\\ \u00e9 \U0001F600""#) == .string("a\tb\n\"\\ é 😀"))
        #expect(try value(#"'C:\x "y"'"#) == .string(#"C:\x "y""#))
        #expect(try value("\"\"") == .string(""))
        #expect(try value("''") == .string(""))
        for text in [
            #""\x""#, #""\u12""#, #""\uD800""#, #""\U00110000""#, "\"a", "'a", "\"a\nb\"", "'a\nb'", "\"a\" b", #""\"#,
        ] {
            #expect(throws: ConfigurationError.self) { try value(text) }
        }
    }

    @Test("A long string starts after its first line end, joins lines at a backslash and may end in quotation marks")
    func longStrings() throws {
        #expect(try value("\"\"\"\na\nb\"\"\"") == .string("a\nb"))
        #expect(try value("\"\"\"a \\\n\n   b\"\"\"") == .string("a b"))
        #expect(try value("\"\"\"\"\"a\"\"\"\"\"") == .string("\"\"a\"\""))
        #expect(try value("'''\na\\\n''b'''''") == .string("a\\\n''b''"))
        #expect(try value("\"\"\"\"\"\"") == .string(""))
        for text in ["\"\"\"a\"\"", "'''", "\"\"\"a\"\"\"\"\"\"", "\"\"\"\\ x\"\"\""] {
            #expect(throws: ConfigurationError.self) { try value(text) }
        }
    }

    @Test("An array may span lines and end in a comma, an inline table may not")
    func collections() throws {
        let numbers = DocumentValue.array([.integer(1), .integer(2)])
        #expect(try value("[1, 2]") == numbers)
        #expect(try value("[ # one\n 1\n ,\n 2, # two\n]") == numbers)
        #expect(try value("[]") == .array([]))
        #expect(try value("[[1, 2], 'a', {}]") == .array([numbers, .string("a"), .object([:])]))
        #expect(
            try value("{ a.b = 1, \"c d\" = [1, 2] }") == .object(["a": .object(["b": .integer(1)]), "c d": numbers]))
        for text in [
            "[1 2]", "[,]", "[1,,2]", "[1", "{a=1,}", "{a=1\n}", "{a=1 b=2}", "{a=1", "{,}", "{a}", "{a=1, a=2}",
        ] {
            #expect(throws: ConfigurationError.self) { try value(text) }
        }
    }

    @Test("Headings and dotted keys make tables")
    func tables() throws {
        let text = "a.b = 1\na.c = 2\n[ d . 'e' ]\nf = 3\n[d]\ng = 4\n[[h]]\ni = 5\n[h.j]\nk = 6\n[[h]]\n"
        #expect(
            try TOMLDocument.parse(text) == [
                "a": .object(["b": .integer(1), "c": .integer(2)]),
                "d": .object(["e": .object(["f": .integer(3)]), "g": .integer(4)]),
                "h": .array([.object(["i": .integer(5), "j": .object(["k": .integer(6)])]), .object([:])]),
            ])
    }

    @Test(
        "A second definition is an error",
        arguments: [
            "a = 1\na = 2", "a = 1\n\"a\" = 2", "[a]\n[a]", "[a]\n[[a]]", "[[a]]\n[a]", "a = 1\n[a]", "a = 1\n[a.b]",
            "a = []\n[[a]]",
            "a = {}\n[a.b]", "a = {}\na.b = 1", "a = 1\na.b = 2", "a.b = 1\n[a]", "[a.b]\n[a]\nb.c = 1",
            "a.b = 1\na = 2",
            "[[a.b]]\n[a.b]",
        ])
    func duplicates(text: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try TOMLDocument.parse(text) }
        #expect(error.requirement.hasSuffix("is in the file already"))
        #expect(error.line == text.split(separator: "\n").count)
    }

    @Test("Line ends are LF or CR LF, and a byte order mark is skipped")
    func lineEnds() throws {
        #expect(try TOMLDocument.parse("\u{FEFF}a = 1\r\n\r\n# b\r\nc = 2") == ["a": .integer(1), "c": .integer(2)])
        for text in ["a = 1\rb = 2", "a = 1\r", "# \r x", "a = 1 b = 2", "a = 1\u{B}b = 2"] {
            #expect(throws: ConfigurationError.self) { try TOMLDocument.parse(text) }
        }
    }

    @Test("An error counts lines and characters from 1")
    func place() throws {
        let error = try #require(throws: ConfigurationError.self) { try TOMLDocument.parse("# é\n'é' = é") }
        #expect(error.line == 2)
        #expect(error.column == 7)
        #expect(error.description == "line 2, column 7: not valid TOML: expected a value, not \"é\"")
    }
}
