import Agent
import ArgumentParser
import Core
import Glibc
import ServiceLifecycle

/// The resources that a command needs before it begins. If they were missing, parts that can't report it would fail
/// later: the runtime traps, and the resolver blames the name servers.
enum StartReserve {
    /// Descriptors for the sockets of all adapters, of the broker and its lookup, for the outbox's files and the
    /// runtime's own, and as many again.
    static let files = 64
    /// Address space for the stacks of all threads, and for the allocator's part for each, most of it never used.
    static let addresses_MiB = 512
    /// The writable part of that: the stacks, and memory to keep.
    static let memory_MiB = 96

    /// A missing resource, with its remedy.
    enum Shortage: Error, Equatable, CustomStringConvertible {
        case files(code: Int32)
        case memory(MiB: Int)

        var description: String {
            switch self {
            case .files(let code):
                "\(String(cString: strerror(code))): less than \(StartReserve.files) more may be opened; "
                    + "allow \(2 * StartReserve.files): ulimit -n, or LimitNOFILE= of the service"
            case .memory(let MiB):
                "too little memory: \(MiB) MiB of address space are not available; allow more: ulimit -v and -d, or "
                    + "LimitAS= and LimitDATA= of the service"
            }
        }
    }

    /// Exits with 75 where a resource is missing.
    static func orExit() throws {
        do throws(Shortage) {
            try take()
        } catch {
            Output.complain("can't start: \(error)")
            throw ExitCode.temporaryFailure
        }
    }

    /// Raises the limits that this process may raise itself, and checks them by taking everything for a moment.
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

    /// Forbids core dumps where people are counted, because their identities are in memory.
    static func forbidDumps(_ settings: Settings) {
        guard settings.gateway.countsPeople else { return }
        // A limit of 0 does not hold where the kernel pipes dumps to a program. One of 1 does: the kernel has it for that.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Reserves memory without touching it, so that it takes none and only limits can forbid it.
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

/// Gives back memory that only the start needed, once the agent runs: code that parses arguments, configuration and
/// certificates.
///
/// The kernel would take these pages by itself only when memory is short. Until then they are about half of the
/// process's memory. A page that is needed again comes back from the file, or from the kernel's cache of it.
struct StartPagesService: Service {
    /// The time by which a reachable broker is connected.
    private static var delay: Duration { .seconds(10) }
    /// The kernel writes about 700 octets for each of some 60 mappings.
    private static var smapsLimit: Int { 1 << 20 }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await Task.sleep(for: Self.delay)
            Self.release()
        }
        // The lifecycle stops services in turn, and takes one that has already ended for a failed one.
        try? await gracefulShutdown()
    }

    private static func release() {
        // Where the kernel hides the file, nothing is lost.
        guard let smaps = try? InputFile.readAll("/proc/self/smaps", limit: smapsLimit) else { return }
        for mapping in UnwrittenMapping.all(inSmaps: smaps) {
            madvise(UnsafeMutableRawPointer(bitPattern: mapping.address), Int(clamping: mapping.size), MADV_DONTNEED)
        }
    }
}

/// A part of the address space that maps a file unchanged: code, constants. The kernel can drop its pages at any time,
/// and reads them again from the file.
struct UnwrittenMapping: Hashable, Sendable {
    /// The address of the first octet.
    var address: UInt
    /// The size in octets.
    var size: UInt

    /// Finds all of them in /proc/PID/smaps. Each mapping has a line `address-end permissions offset device inode
    /// path`, and then lines `Key: number kB`. `Anonymous` counts the pages that were written to, which the file does
    /// not have. Mappings with such pages are left out, as are writable ones.
    ///
    /// Octets are compared, not characters, since the kernel writes some 40,000.
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

    init(address: UInt, size: UInt) { (self.address, self.size) = (address, size) }
}
