import Core
import Glibc

/// The kernel's side of Bluetooth, and the clocks that go with it: what the radio loop and the advertising loop work through.
///
/// All of it is used on the loop's own thread, and only `poll` waits.
package protocol BluetoothKernel: AnyObject {
    /// The clock on which `poll` waits: CLOCK_MONOTONIC.
    var now: Instant { get }
    /// The time of day, with which packets are stamped.
    var wall: WallTime { get }

    /// The adapters as they are at this moment.
    func survey() -> AdapterSurvey

    /// Opens a socket on an adapter. It is closed with its last reference.
    func open(_ index: UInt16, filter: HCIFilter) throws(SystemError) -> any AdapterSocket

    /// Readable while `takeDeviceEvents` has something to tell; -1 where the kernel does not tell.
    var deviceEventsDescriptor: Int32 { get }

    /// Adapters that came, went, or were powered up or down by anybody, in order; at most 64 at once.
    func takeDeviceEvents() -> [DeviceEvent]

    /// Begins to change an adapter's power.
    ///
    /// - Parameter bell: rings when the outcome is there.
    func repair(_ step: RecoveryStep, index: UInt16, bell: Doorbell) throws(SystemError) -> any AdapterRepair

    /// poll(2): waits until a descriptor is ready, at most `timeout_ms`; -1 waits without limit. Returns how many are ready.
    func poll(_ slots: UnsafeMutableBufferPointer<pollfd>, timeout_ms: Int32) -> Int32
}

/// A raw socket on one adapter that takes its events and other processes' commands, and sends ours. It never blocks.
package protocol AdapterSocket: AnyObject {
    /// For `poll`.
    var descriptor: Int32 { get }

    /// Sends a command packet. Where the controller takes none, the command's time-out will say so.
    func send(_ packet: [UInt8]) throws(SystemError)

    /// Puts packets that wait into `batch`, without waiting for more.
    ///
    /// - Returns: how many; fewer than `limit` and the batch's capacity where nothing else waited.
    /// - Throws: what the socket says once its adapter is gone.
    func receive(_ batch: PacketBatch, limit: Int) throws(SystemError) -> Int

    /// The error that `poll` reported.
    func pendingError() -> SystemError

    /// How many packets were dropped because they were not read in time.
    func droppedPackets() -> UInt32
}

/// One change of an adapter's power, under way.
package protocol AdapterRepair: AnyObject {
    /// `nil` while it is under way.
    var outcome: RepairOutcome? { get }

    /// Returns when it is done, so that no adapter is left half way between down and up.
    func wait()
}

package enum RepairOutcome: Sendable {
    case done
    case failed(SystemError)
}
