import Glibc

@testable import Core

// Dictionaries are walked in another order in each process unless told not to, and a seed has to mean the same for ever.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    let arguments = CommandLine.unsafeArgv
    execv("/proc/self/exe", arguments)
}

exit(Runner(CommandLine.arguments).run())
