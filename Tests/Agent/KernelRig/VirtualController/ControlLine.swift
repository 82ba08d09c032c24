@testable import Core

/// One line on standard input: what the operator of the rig makes happen to the controller.
enum ControlLine: Equatable {
    /// Leave all commands unanswered, or one; and answer all of them again.
    case mute(Opcode?)
    case unmute
    /// Fail a command with a status; status 0 ends that. Both hexadecimal.
    case fail(Opcode, HCIStatus)
    /// Report a hardware error.
    case hardwareError
    /// Pull the adapter out, and put it back.
    case unplug, plug
    /// Hand the host these octets as an HCI event, from its event code on.
    case inject([UInt8])
    /// From now on play so many events a second, round and round, whatever the capture's times; 0 as fast as it goes.
    case rate(Double)
    /// Print what has been sent.
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
            guard let event = octets(hex: digits) else { return nil }
            self = .inject(event)
        case ("rate", let number?, nil):
            guard let rate = Double(number), (0...100_000).contains(rate) else { return nil }
            self = .rate(rate)
        default: return nil
        }
    }
}
