/// The rules that hold at every step, whatever fails.
enum Invariant: String, CaseIterable {
    case nothingLost = "no committed event is lost"
    case order = "events arrive in the order of their numbers"
    case readable = "every message is read as the contract says"
    case numberedOnce = "no number stands for two events"
    case gapsStated = "a gap is stated where events were dropped, and only there"
    case stateAgrees = "state and events agree"
    case nothingStale = "no retained message is out of date"
    case blindRadio = "no exit while the radio is blind"
    case noFalseCrossing = "no enter or exit without a coming or going, rotation included"
    case nothingMissed = "a beacon that comes enters, and one that goes exits"
    case proof = "no beacon leaves the store unless the gateways that had it inside say so"
    case oneZone = "a beacon is in one zone at a time"
    case eventTime = "the store's visits are those of its undisturbed twin"
    case history = "a late message changes no history"
    case counts = "counts equal the truth"
    case reception = "a receiver without a fix proves nothing, and one that rests neither"
    case batches = "every fix that is kept is published once, in its order"
    case place = "no place is published but one that the receiver reported well enough"
    case coverage = "spans of coverage have no holes and claim nothing that was not heard"
    case limits = "every table stays within its limit"
    case structure = "the parts of the engine agree with each other"
    case clocks = "a clock that is set changes nothing"
    case recovers = "once nothing fails any more, everything is delivered"
}

/// An invariant that did not hold.
struct Violation: Error, CustomStringConvertible {
    var invariant: Invariant
    var detail: String

    var description: String { "\(invariant.rawValue): \(detail)" }
}
