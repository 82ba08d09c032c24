import ArgumentParser
import Glibc

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
