/// A part of the address space that shows a file as it is: code, constants. The kernel can take its pages away at any time and
/// reads them again from the file when they are needed.
struct UnwrittenMapping: Hashable, Sendable {
    /// Of the first octet.
    var address: UInt
    /// Octets.
    var size: UInt

    /// All of them, from /proc/PID/smaps: for each mapping a line `address-end permissions offset device inode path` and then
    /// lines `Key: number kB`. `Anonymous` are the pages that were written to, which the file does not have; a mapping with
    /// any is left out, and so is one that could still be written to.
    static func all(inSmaps text: some StringProtocol) -> [UnwrittenMapping] {
        var found: [UnwrittenMapping] = []
        var candidate: UnwrittenMapping?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == "Anonymous:" {
                if let candidate, words[1] == "0" { found.append(candidate) }
                candidate = nil
            } else if let first = words.first, !first.hasSuffix(":") {
                candidate = UnwrittenMapping(words)
            }
        }
        return found
    }

    private init?(_ words: [some StringProtocol]) {
        guard words.count >= 6, words[1].hasPrefix("r"), !words[1].contains("w"), words[5].hasPrefix("/") else {
            return nil
        }
        let bounds = words[0].split(separator: "-")
        guard bounds.count == 2, let begin = UInt(bounds[0], radix: 16), let end = UInt(bounds[1], radix: 16),
            end > begin
        else { return nil }
        (address, size) = (begin, end - begin)
    }

    init(address: UInt, size: UInt) {
        (self.address, self.size) = (address, size)
    }
}
