import Glibc

/// The process's environment.
enum Environment {
    static func has(_ name: String) -> Bool { getenv(name) != nil }
}
