import Glibc
import ServiceLifecycle

/// Once the agent has started, gives back the memory that only the start needed: code that parses arguments, configuration and
/// certificates.
///
/// The kernel would take these pages by itself when it runs short, after it has looked for others. Until then they count as
/// this process's, about half of all that does. What is needed after all comes back page by page from the file, or from the
/// kernel's cache of it.
struct StartPagesService: Service {
    /// By then a broker within reach is connected.
    private static var delay: Duration { .seconds(10) }
    /// The kernel tells about 700 octets for each of some 60 mappings.
    private static var smapsLimit: Int { 1 << 20 }

    func run() async throws {
        // A stop cancels the wait, and the pages go with the process.
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: Self.delay)
            Self.release()
        }
    }

    private static func release() {
        // Where the kernel does not show it, nothing is lost.
        guard let smaps = try? InputFile.readAll("/proc/self/smaps", limit: smapsLimit) else { return }
        for mapping in UnwrittenMapping.all(inSmaps: String(decoding: smaps, as: UTF8.self)) {
            madvise(UnsafeMutableRawPointer(bitPattern: mapping.address), Int(clamping: mapping.size), MADV_DONTNEED)
        }
    }
}
