import ArgumentParser

/// The exit statuses of sysexits.h that scripts can rely on.
extension ExitCode {
    /// A damaged capture: everything before the damage was read.
    static let dataError = ExitCode(65)
    /// A file that can't be opened.
    static let noInput = ExitCode(66)
    /// What was asked for can't be done with this machine's radio.
    static let unavailable = ExitCode(69)
    /// A file that can't be created.
    static let cantCreate = ExitCode(73)
    /// A file that could not be written to the end: a full disk.
    static let ioError = ExitCode(74)
    /// Something that may work later: a state folder in use, a broker that was not reached in time.
    static let temporaryFailure = ExitCode(75)
    /// Missing permission.
    static let noPermission = ExitCode(77)
    /// A configuration that can't be used, or something that `check` found.
    static let configuration = ExitCode(78)
}
