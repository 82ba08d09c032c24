import Glibc

@testable import Core

// Each process iterates dictionaries in another order unless this is set, and a seed must keep its meaning.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    let arguments = CommandLine.unsafeArgv
    execv("/proc/self/exe", arguments)
}

exit(Runner(CommandLine.arguments).run())
