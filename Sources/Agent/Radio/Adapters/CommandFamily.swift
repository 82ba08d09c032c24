/// The two sets of scanning and advertising commands. A controller that has seen one of them refuses the other until it is
/// reset.
package enum CommandFamily: Hashable, Sendable {
    case legacy
    case extended

    var other: CommandFamily { self == .legacy ? .extended : .legacy }
}
