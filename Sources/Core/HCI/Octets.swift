// Numbers of several octets, read as the processor reads them: one load that is checked against the bounds like any other, not
// one for each octet. What the standard library calls unsafe about it is that a type may not allow all bit patterns; integers do.

/// Four octets, most significant first. The caller has checked that they are there.
func bigEndian32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
}

/// Eight octets, most significant first. The caller has checked that they are there.
func bigEndian64(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    UInt64(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
}

/// Six octets, least significant first, of an address. The caller has checked that they are there.
func deviceAddressBits(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    let low = UInt32(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    let high = UInt16(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt16.self))
    return UInt64(high) << 32 | UInt64(low)
}
