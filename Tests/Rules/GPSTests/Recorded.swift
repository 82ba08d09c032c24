import Glibc

/// The output of gpsd 3.22 to a watching client while gpsfake played `ride.nmea` once: `ride.json`. In between the
/// client asked for unknown things, and at last it stopped watching.
enum Recorded {
    struct Missing: Error {
        var path: String
    }

    static func ride(_ file: String = #filePath) throws -> [UInt8] {
        let path = file.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Recorded/ride.json"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Missing(path: path) }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &octets, octets.count)
        return Array(octets.prefix(max(0, count)))
    }
}
