/// Advertising data: a sequence of structures.
///
/// Core 5.4, Vol 3, Part C, 11:
///
///     octet 0       length n of what follows; 0 ends the significant part early
///     octet 1       AD type
///     octets 2…n    AD data, n − 1 octets
enum ADStructures {
    /// Hands every structure to `body`, type and data.
    ///
    /// - Returns: `false` where a structure runs past the end. It is dropped, not clamped, and nothing behind it can be
    ///   read; the structures before it were handed over.
    static func forEach(in data: Span<UInt8>, body: (UInt8, Span<UInt8>) -> Void) -> Bool {
        var offset = 0
        while offset < data.count {
            let length = Int(data[offset])
            if length == 0 { return true }
            let end = offset + 1 + length
            guard end <= data.count else { return false }
            body(data[offset + 1], data.extracting(offset + 2..<end))
            offset = end
        }
        return true
    }
}
