import Testing

@testable import beacond

@Suite("Memory that equals its file")
struct UnwrittenMappingTests {
    /// The kernel's map, shortened: code, constants of which the loader adjusted some, data, a heap, and the kernel's
    /// own page.
    private let smaps = """
        55d0c0a00000-55d0c1800000 r-xp 00001000 fe:01 1311 /usr/bin/beacond
        Size:              14336 kB
        Rss:                9032 kB
        Anonymous:             0 kB
        VmFlags: rd ex mr mw me sd
        55d0c1800000-55d0c1900000 r--p 00e01000 fe:01 1311 /usr/bin/beacond
        Rss:                 984 kB
        Anonymous:           980 kB
        7f0000000000-7f0000010000 r--p 00000000 fe:01 77                         /usr/lib/with a space.so (deleted)
        Rss:                  64 kB
        Anonymous:             0 kB
        7f0000020000-7f0000030000 rw-p 00000000 fe:01 77 /usr/lib/data.so
        Anonymous:             0 kB
        55d0c2000000-55d0c2100000 r--p 00000000 00:00 0 [heap]
        Anonymous:             0 kB
        7ffe00000000-7ffe00002000 r-xp 00000000 00:00 0 [vdso]
        Anonymous:             0 kB
        """

    @Test("Code and constants of files are found, whatever the file's name")
    func found() {
        #expect(
            UnwrittenMapping.all(inSmaps: Array(smaps.utf8)) == [
                UnwrittenMapping(address: 0x55d0_c0a0_0000, size: 0xe0_0000),
                UnwrittenMapping(address: 0x7f00_0000_0000, size: 0x1_0000),
            ])
    }

    @Test("Memory that was or may be written is left alone, because it differs from the file")
    func written() {
        let addresses = UnwrittenMapping.all(inSmaps: Array(smaps.utf8)).map(\.address)
        #expect(!addresses.contains(0x55d0_c180_0000))
        #expect(!addresses.contains(0x7f00_0002_0000))
    }

    @Test(
        "Text of another form names no mapping",
        arguments: ["", "nonsense", "zz-yy r-xp 0 0 0 /a\nAnonymous: 0 kB", "9-1 r-xp 0 0 0 /a\nAnonymous: 0 kB"])
    func nonsense(text: String) {
        #expect(UnwrittenMapping.all(inSmaps: Array(text.utf8)).isEmpty)
    }
}
