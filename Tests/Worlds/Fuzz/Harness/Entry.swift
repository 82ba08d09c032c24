import Glibc

/// The fuzzed decoders. One program holds them all, because compiling takes most of the time; `BEACOND_FUZZ` chooses
/// one.
enum Target: String, CaseIterable {
    case events, structures, telemetry, captures, configuration, requests, keys, rows, payloads, topics, gpsd,
        receivers, gateway

    func feed(_ octets: [UInt8]) {
        switch self {
        case .events: feedEvent(octets)
        case .structures: feedStructures(octets)
        case .telemetry: feedTelemetry(octets)
        case .captures: feedCapture(octets)
        case .configuration: feedConfiguration(octets)
        case .requests: feedRequest(octets)
        case .keys: feedKey(octets)
        case .rows: feedRow(octets)
        case .payloads: feedPayload(octets)
        case .topics: feedTopic(octets)
        case .gpsd: feedGPSD(octets)
        case .receivers: feedReceiver(octets)
        case .gateway: feedGateway(octets)
        }
    }
}

private let target: Target? = getenv("BEACOND_FUZZ").flatMap { Target(rawValue: String(cString: $0)) }

/// Called first by libFuzzer. With `BEACOND_FUZZ_SEEDS` it writes the seeds to that folder and ends.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    if let folder = getenv("BEACOND_FUZZ_SEEDS") {
        Seeds.write(to: String(cString: folder))
        exit(0)
    }
    return 0
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else {
        print("BEACOND_FUZZ must name a target: \(Target.allCases.map(\.rawValue))")
        exit(64)
    }
    // A copy of exactly that length, so that reading past its end is detected.
    target.feed(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Checks a rule for any input. A broken one ends the run like a trap, and libFuzzer keeps the input.
func require(_ holds: Bool, _ rule: StaticString) {
    precondition(holds, "\(rule)")
}
