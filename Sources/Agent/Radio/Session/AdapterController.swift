import Core

/// The rules of one adapter: what is to be done with it, decided from what has happened. Its `AdapterSession` does it in
/// order, and tells what came of it.
///
/// Every verb takes the time and returns what to do; nothing here waits, reads a clock or opens anything.
package protocol AdapterController: Sendable {
    /// A command on the way to where the adapter is wanted.
    associatedtype Step: Sendable
    /// What the owner of the session is told.
    associatedtype News: Sendable
    typealias Action = AdapterAction<Step, News>

    /// What the adapter's socket lets through.
    static var filter: HCIFilter { get }

    /// The adapter that is being opened, open or under repair.
    var adapter: Adapter? { get }

    /// When to call `tick(at:)` next.
    var nextDeadline: Instant { get }

    mutating func start(at instant: Instant) -> [Action]
    mutating func stop(at instant: Instant) -> [Action]
    mutating func surveyed(_ choice: AdapterSurvey.Choice, at instant: Instant) -> [Action]
    mutating func opened(at instant: Instant) -> [Action]
    /// Opening, sending or receiving failed.
    mutating func socketFailed(_ availability: RadioAvailability, at instant: Instant) -> [Action]
    /// A packet came from the socket, which never shows our own commands.
    mutating func received(_ packet: Span<UInt8>, at instant: Instant) -> [Action]
    mutating func deviceChanged(_ event: DeviceEvent, at instant: Instant) -> [Action]
    mutating func tick(at instant: Instant) -> [Action]
}

/// What a controller wants done.
package enum AdapterAction<Step: Sendable, News: Sendable>: Sendable {
    /// Survey the adapters, then call `surveyed(_:at:)`.
    case look
    /// Open a socket on the adapter, then call `opened(at:)` or `socketFailed(_:at:)`.
    case open(Adapter)
    /// Send the command; an answer goes to `received(_:at:)`.
    case send(Step)
    case close
    /// Tell the owner of the session.
    case tell(News)
}

extension AdapterAction: Equatable where Step: Equatable, News: Equatable {}

/// How a controller stands with its adapter: it looks for one, opens it and works with it, and looks again once it is lost.
///
///     idle ─► waiting ─► opening ─► held
///               ▲           │        │
///               └───────────┴────────┘ adapter gone, off, …
enum AdapterClaim<Work: Sendable>: Sendable {
    /// Not started, or stopped.
    case idle
    /// No adapter can be used: look again later, or when the kernel says that something changed.
    case waiting(nextLook: Instant)
    case opening(Adapter)
    case held(Adapter, Work)

    /// From one look for the adapter to the next.
    static var lookInterval: TimeSpan { .seconds(1) }

    package var adapter: Adapter? {
        switch self {
        case .idle, .waiting: nil
        case .opening(let adapter), .held(let adapter, _): adapter
        }
    }

    mutating func look<Step, News>(at instant: Instant) -> [AdapterAction<Step, News>] {
        self = .waiting(nextLook: instant + Self.lookInterval)
        return [.look]
    }

    mutating func open<Step, News>(_ adapter: Adapter) -> [AdapterAction<Step, News>] {
        self = .opening(adapter)
        return [.open(adapter)]
    }

    /// The adapter can't be used any more. It is looked for again after a while.
    mutating func lose<Step, News>(at instant: Instant) -> [AdapterAction<Step, News>] {
        self = .waiting(nextLook: instant + Self.lookInterval)
        return [.close]
    }

    /// Wants no adapter any more.
    mutating func end<Step, News>() -> [AdapterAction<Step, News>] {
        defer { self = .idle }
        return adapter == nil ? [] : [.close]
    }
}

/// A command that the controller has not answered yet.
struct PendingCommand<Course: Sendable>: Sendable {
    /// How long a controller may take to answer a command.
    static var timeout: TimeSpan { .seconds(2) }

    /// What the command is a step of.
    let course: Course
    let deadline: Instant

    init(_ course: Course, at instant: Instant) {
        self.course = course
        deadline = instant + Self.timeout
    }
}
