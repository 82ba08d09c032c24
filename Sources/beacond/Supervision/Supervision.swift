/// How the agent shows whoever started it that it works.
struct Supervision: Sendable {
    let manager = ServiceManager.fromEnvironment
    let pulse = Pulse()
}
