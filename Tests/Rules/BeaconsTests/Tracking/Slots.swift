@testable import Core

// Tests name slots by their numbers.

extension TransmitterSlot: ExpressibleByIntegerLiteral {
    public init(integerLiteral number: UInt32) { self.init(number: number) }
}

extension DeviceSlot: ExpressibleByIntegerLiteral {
    public init(integerLiteral number: UInt32) { self.init(number: number) }
}
