import ArgumentParser

/// The exit statuses of sysexits.h that scripts can rely on.
extension ExitCode {
    /// A damaged capture: everything before the damage was read.
    static let dataError = ExitCode(65)
    /// A file that can't be opened.
    static let noInput = ExitCode(66)
    /// Something that may work later: a state folder in use, a broker that was not reached in time.
    static let temporaryFailure = ExitCode(75)
    /// A configuration that can't be used, or something that `check` found.
    static let configuration = ExitCode(78)
}
