@testable import Core

/// Returns the errors in a text, as shown, but without the lines of keys (`PlaceTests` tests those); none where it
/// parses.
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

/// Returns a complete `[[region]]` with further lines.
func region(_ lines: String = "", id: String = "carts") -> String {
    "[[region]]\nid = \"\(id)\"\nuuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\"\n\(lines)\n"
}

/// Returns a table with one line in it. `region` also gets its required keys.
func document(table: String, line: String) -> String {
    if table == "site.gateway" { return "[[site.gateway]]\nid = \"entrance\"\n\(line)\n" }
    guard table == "region" else { return "[\(table)]\n\(line)\n" }
    let key = line.prefix { $0 != " " }
    let isOfCircle = ["latitude", "longitude", "radius_m", "cushion_m", "crossing_after_s"].contains(key)
    return isOfCircle ? circle(line) : region(line)
}

/// A `[[region]]` that is a circle and lacks nothing, with more lines of its own. One that sets a key which it needs
/// takes the place of what is there.
func circle(_ lines: String = "", id: String = "depot") -> String {
    let needed = ["latitude = 52.5163", "longitude = 13.3777", "radius_m = 150"].filter { line in
        !lines.hasPrefix(line.prefix { $0 != " " })
    }
    return "[[region]]\nid = \"\(id)\"\n\(needed.joined(separator: "\n"))\n\(lines)\n"
}
