@testable import Core

/// A line on standard input, by which the rig's operator controls the controller.
enum ControlLine: Equatable {
    /// Leaves all commands unanswered, or one of them; or answers all of them again.
    case mute(Opcode?)
    case unmute
    /// Makes a command fail with a status; status 0 ends that. Both hexadecimal.
    case fail(Opcode, HCIStatus)
    /// Reports a hardware error.
    case hardwareError
    /// Removes the adapter, and puts it back.
    case unplug, plug
    /// Sends the host these octets as an HCI event, from its event code on.
    case inject([UInt8])
    /// Plays this many events a second from now on, repeating the capture; 0 as fast as possible.
    case rate(Double)
    /// Prints the number of events sent.
    case stat
    case quit

    /// `nil` where the line is no command.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.dropFirst().first, words.dropFirst(2).first) {
        case ("mute", nil, nil): self = .mute(nil)
        case ("mute", let opcode?, nil):
            guard let opcode = UInt16(opcode, radix: 16) else { return nil }
            self = .mute(Opcode(rawValue: opcode))
        case ("unmute", nil, nil): self = .unmute
        case ("hwerr", nil, nil): self = .hardwareError
        case ("unplug", nil, nil): self = .unplug
        case ("plug", nil, nil): self = .plug
        case ("stat", nil, nil): self = .stat
        case ("quit", nil, nil): self = .quit
        case ("fail", let opcode?, let status?):
            guard let opcode = UInt16(opcode, radix: 16), let status = UInt8(status, radix: 16) else { return nil }
            self = .fail(Opcode(rawValue: opcode), HCIStatus(rawValue: status))
        case ("hex", let digits?, nil):
            guard let event = [UInt8](hexadecimal: digits.utf8) else { return nil }
            self = .inject(event)
        case ("rate", let number?, nil):
            guard let rate = Double(number), (0...100_000).contains(rate) else { return nil }
            self = .rate(rate)
        default: return nil
        }
    }
}
