import ArgumentParser
import Glibc
import ServiceLifecycle

/// What a command needs of the machine before it begins. Where that is missing, parts that can't say so fail later: the
/// runtime traps, and the resolver speaks of name servers.
enum StartReserve {
    /// Sockets of all adapters, of the broker and of a look-up of its name, the outbox's files, the runtime's own, and as
    /// many again.
    static let files = 64
    /// Address space for the stacks of all threads, and for what the allocator sets aside for each, most of it never used.
    static let addresses_MiB = 512
    /// How much of that may be written to: the stacks, and what is to be kept.
    static let memory_MiB = 96

    /// What is missing, and what to do about it.
    enum Shortage: Error, Equatable, CustomStringConvertible {
        case files(code: Int32)
        case memory(MiB: Int)

        var description: String {
            switch self {
            case .files(let code):
                "\(String(cString: strerror(code))): less than \(StartReserve.files) more may be opened; "
                    + "allow \(2 * StartReserve.files): ulimit -n, or LimitNOFILE= of the service"
            case .memory(let MiB):
                "too little memory: \(MiB) MiB of address space are not to be had; allow more: ulimit -v and -d, or "
                    + "LimitAS= and LimitDATA= of the service"
            }
        }
    }

    /// Ends a command with 75 where anything is missing.
    static func orExit() throws {
        do throws(Shortage) {
            try take()
        } catch {
            Output.complain("can't start: \(error)")
            throw ExitCode.temporaryFailure
        }
    }

    /// Raises what this process may raise by itself, and finds out whether it is enough by having it all for a moment.
    static func take() throws(Shortage) {
        raiseFileLimit()
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        while descriptors.count < files {
            let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .files(code: errno) }
            descriptors.append(descriptor)
        }
        try reserve(MiB: addresses_MiB, PROT_NONE)
        try reserve(MiB: memory_MiB, PROT_READ | PROT_WRITE)
    }

    /// It is not touched, so that it takes no memory and only limits forbid it.
    private static func reserve(MiB: Int, _ protection: Int32) throws(Shortage) {
        let memory = mmap(nil, MiB << 20, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .memory(MiB: MiB) }
        munmap(memory, MiB << 20)
    }

    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(rlim_t(2 * files), limit.rlim_max)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

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
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: Self.delay)
            Self.release()
        }
        // The lifecycle stops services one after the other, and takes one that is not there any more for a failed one.
        try? await gracefulShutdown()
    }

    private static func release() {
        // Where the kernel does not show it, nothing is lost.
        guard let smaps = try? InputFile.readAll("/proc/self/smaps", limit: smapsLimit) else { return }
        for mapping in UnwrittenMapping.all(inSmaps: smaps) {
            madvise(UnsafeMutableRawPointer(bitPattern: mapping.address), Int(clamping: mapping.size), MADV_DONTNEED)
        }
    }
}

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
    ///
    /// Octets are looked at and not characters, of which the kernel writes some 40,000.
    static func all(inSmaps text: [UInt8]) -> [UnwrittenMapping] {
        var found: [UnwrittenMapping] = []
        var candidate: UnwrittenMapping?
        var rest = text[...]
        while let first = rest.first {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            // Keys begin with a capital, addresses with a digit or a small letter.
            if first < UInt8(ascii: "A") || first > UInt8(ascii: "Z") {
                candidate = UnwrittenMapping(String(decoding: line, as: UTF8.self).split(separator: " "))
            } else if line.starts(with: "Anonymous:".utf8) {
                let words = String(decoding: line, as: UTF8.self).split(separator: " ")
                if let candidate, words.count == 3, words[1] == "0" { found.append(candidate) }
                candidate = nil
            }
        }
        return found
    }

    private init?(_ words: [Substring]) {
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
