import Core

/// Takes requests in on the delivery loop: those of the right form go to the engine, the others are refused here.
struct RequestHandler {
    private var gate: RequestGate
    private let queue: RequestQueue

    /// - Parameter words: those of others, on whose topics no answer goes.
    init(topics: TopicTree, words: OtherWords, queue: RequestQueue) {
        gate = RequestGate(topics: topics, sparing: words.trees)
        self.queue = queue
    }

    /// Requests that were dropped because there were too many.
    var floodCount: UInt64 { gate.floodCount }

    /// Takes what the broker delivered, and returns the refusals to publish.
    mutating func receive(_ messages: [IncomingMessage], at now: Instant) -> [Answer] {
        messages.compactMap { message in
            var decision = gate.admit(IncomingRequest(message), at: now)
            if case .carryOut(let request, let address) = decision {
                if queue.push(RequestQueue.Entry(request: request, address: address)) { return nil }
                decision = gate.refuseFlood(address, at: now)
            }
            guard case .refuse(let error, let address) = decision else { return nil }
            return Answer(address: address, at: now, result: .refused(error))
        }
    }
}

extension IncomingRequest {
    fileprivate init(_ message: IncomingMessage) {
        var payload: [UInt8]?
        if case .bytes(let bytes) = message.payload { payload = bytes }
        self.init(
            topic: message.topic, payload: payload, isRetained: message.isRetained,
            responseTopic: message.responseTopic, correlationData: message.correlationData)
    }
}
