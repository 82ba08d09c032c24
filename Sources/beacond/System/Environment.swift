import Glibc

/// The process's environment.
enum Environment {
    static func has(_ name: String) -> Bool { getenv(name) != nil }

    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
