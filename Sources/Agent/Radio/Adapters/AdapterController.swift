import Core

/// The state machine that controls one adapter. Each method takes what happened, and the time, and returns actions. The `AdapterSession`
/// carries these out one by one; where an action has a result, the actions that follow from it come first.
///
/// No method waits, reads a clock or does I/O.
protocol AdapterController: Sendable {
    /// One HCI command of a procedure, such as turning the scan on.
    associatedtype Step: Sendable
    /// An update for the session's owner.
    associatedtype Update: Sendable
    typealias Action = AdapterAction<Step, Update>

    /// The packets that the adapter's socket lets through.
    static var filter: HCIFilter { get }

    /// The time for the next `tick(at:)`.
    var nextDeadline: Instant { get }

    mutating func start(at instant: Instant) -> [Action]
    mutating func stop(at instant: Instant) -> [Action]
    mutating func surveyed(_ choice: AdapterSurvey.Choice, at instant: Instant) -> [Action]
    mutating func opened(at instant: Instant) -> [Action]
    /// Opening, sending or receiving failed. The session does not close the socket by itself.
    mutating func socketFailed(_ availability: RadioAvailability, at instant: Instant) -> [Action]
    /// A packet came from the socket: an event, or a command of another process. The socket never returns the agent's own commands.
    mutating func received(_ packet: Span<UInt8>, at instant: Instant) -> [Action]
    /// An adapter, not only this one, came, went, or was turned on or off.
    mutating func deviceChanged(_ event: DeviceEvent, at instant: Instant) -> [Action]
    mutating func tick(at instant: Instant) -> [Action]
}

enum AdapterAction<Step: Sendable, Update: Sendable>: Sendable {
    /// Survey the adapters, then call `surveyed(_:at:)`.
    case look
    /// Open a socket on the adapter, then call `opened(at:)` or `socketFailed(_:at:)`.
    case open(Adapter)
    /// Send the step's command. An answer goes to `received(_:at:)`, a failure to `socketFailed(_:at:)`.
    case send(Step)
    /// Close the socket, if it is open.
    case close
    /// Pass an update to the session's owner.
    case report(Update)
}

extension AdapterAction: Equatable where Step: Equatable, Update: Equatable {}

/// The part of the state that all of them have: the controller looks for an adapter, opens it and works with it, and looks again once it is lost.
/// `end` leads to `idle` from each state.
///
///     idle ─► waiting ─► opening ─► held
///               ▲           │        │
///               └───────────┴────────┘ adapter gone, off, …
enum AdapterClaim<Work: Sendable>: Sendable {
    /// Not started, or stopped.
    case idle
    /// No adapter is open: a survey is under way, or it found none. The controller looks again then, or when the kernel reports a change.
    case waiting(nextLook: Instant)
    case opening(Adapter)
    /// The adapter is the agent's. Some work, such as a repair, needs no open socket.
    case held(Adapter, Work)

    /// The time between two looks for the adapter.
    static var lookInterval: TimeSpan { .seconds(1) }

    var adapter: Adapter? {
        switch self {
        case .idle, .waiting: nil
        case .opening(let adapter), .held(let adapter, _): adapter
        }
    }

    mutating func look<Step, Update>(at instant: Instant) -> [AdapterAction<Step, Update>] {
        self = .waiting(nextLook: instant + Self.lookInterval)
        return [.look]
    }

    mutating func open<Step, Update>(_ adapter: Adapter) -> [AdapterAction<Step, Update>] {
        self = .opening(adapter)
        return [.open(adapter)]
    }

    /// The adapter can't be used any more. The controller looks for one again after `lookInterval`.
    mutating func lose<Step, Update>(at instant: Instant) -> [AdapterAction<Step, Update>] {
        self = .waiting(nextLook: instant + Self.lookInterval)
        return [.close]
    }

    /// Ends the use of any adapter.
    mutating func end<Step, Update>() -> [AdapterAction<Step, Update>] {
        defer { self = .idle }
        return adapter == nil ? [] : [.close]
    }
}

/// A command that was sent and that the Bluetooth controller has not answered yet.
struct PendingCommand<Course: Sendable>: Sendable {
    /// The longest time for the Bluetooth controller's answer.
    static var timeout: TimeSpan { .seconds(2) }

    /// The procedure to which the command belongs.
    let course: Course
    let deadline: Instant

    init(_ course: Course, at instant: Instant) {
        self.course = course
        deadline = instant + Self.timeout
    }
}
