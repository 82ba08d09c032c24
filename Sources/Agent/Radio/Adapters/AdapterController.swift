import Core

/// The rules of one adapter: they turn each event into actions. The `AdapterSession` carries out the actions in order,
/// and reports their results.
///
/// Every verb takes the time and returns actions; no verb waits, reads a clock or opens anything.
protocol AdapterController: Sendable {
    /// A command on the way to the state that the agent wants.
    associatedtype Step: Sendable
    /// Update for the owner of the session.
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
    /// Opening, sending or receiving failed.
    mutating func socketFailed(_ availability: RadioAvailability, at instant: Instant) -> [Action]
    /// A packet came from the socket, which never returns the agent's own commands.
    mutating func received(_ packet: Span<UInt8>, at instant: Instant) -> [Action]
    mutating func deviceChanged(_ event: DeviceEvent, at instant: Instant) -> [Action]
    mutating func tick(at instant: Instant) -> [Action]
}

/// An action that a controller asks for.
enum AdapterAction<Step: Sendable, Update: Sendable>: Sendable {
    /// Survey the adapters, then call `surveyed(_:at:)`.
    case look
    /// Open a socket on the adapter, then call `opened(at:)` or `socketFailed(_:at:)`.
    case open(Adapter)
    /// Send the command; an answer goes to `received(_:at:)`.
    case send(Step)
    case close
    /// Passes an update to the owner of the session.
    case report(Update)
}

extension AdapterAction: Equatable where Step: Equatable, Update: Equatable {}

/// The relation between a controller and its adapter: the controller looks for an adapter, opens it and works with it,
/// and looks again once it is lost.
///
///     idle ─► waiting ─► opening ─► held
///               ▲           │        │
///               └───────────┴────────┘ adapter gone, off, …
enum AdapterClaim<Work: Sendable>: Sendable {
    /// Not started, or stopped.
    case idle
    /// No adapter can be used. The controller looks again later, or when the kernel reports a change.
    case waiting(nextLook: Instant)
    case opening(Adapter)
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

    /// The adapter can't be used any more. The controller looks for one again after a while.
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

/// A command that the controller has not answered yet.
struct PendingCommand<Course: Sendable>: Sendable {
    /// The longest time for a controller's answer to a command.
    static var timeout: TimeSpan { .seconds(2) }

    /// The procedure that the command is a step of.
    let course: Course
    let deadline: Instant

    init(_ course: Course, at instant: Instant) {
        self.course = course
        deadline = instant + Self.timeout
    }
}
