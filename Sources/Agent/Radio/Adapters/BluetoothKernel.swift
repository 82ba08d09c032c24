import Core
import Glibc

/// The kernel's side of Bluetooth, with its clocks: the interface of the radio loop and the advertising loop.
///
/// The loop's own thread makes all calls, and only `poll` waits.
protocol BluetoothKernel: AnyObject {
    /// The clock on which `poll` waits: CLOCK_MONOTONIC.
    var now: Instant { get }
    /// The wall clock, with which packets are stamped.
    var wall: WallTime { get }

    /// The adapters at this moment.
    func survey() -> AdapterSurvey

    /// Opens a socket on an adapter. It is closed with its last reference.
    func open(_ index: UInt16, filter: HCIFilter) throws(SystemError) -> any AdapterSocket

    /// Readable while `takeDeviceEvents` has events; -1 where the kernel offers none.
    var deviceEventsDescriptor: Int32 { get }

    /// Adapters that came, went, or were powered up or down by any process, in order; at most 64 at once.
    func takeDeviceEvents() -> [DeviceEvent]

    /// Begins to change an adapter's power.
    ///
    /// - Parameter bell: rings when the outcome is there.
    func repair(_ step: RecoveryStep, index: UInt16, bell: Doorbell) throws(SystemError) -> any AdapterRepair

    /// poll(2): waits until a descriptor is ready, at most `timeout_ms`; -1 waits without limit. Returns the number of
    /// ready descriptors.
    func poll(_ slots: UnsafeMutableBufferPointer<pollfd>, timeout_ms: Int32) -> Int32
}

/// A raw socket on one adapter. It receives the adapter's events and other processes' commands, and sends the agent's.
/// It never blocks.
protocol AdapterSocket: AnyObject {
    /// For `poll`.
    var descriptor: Int32 { get }

    /// Sends a command packet. Where the controller takes none, the command's timeout follows.
    func send(_ packet: [UInt8]) throws(SystemError)

    /// Reads waiting packets into `batch`, without waiting for more.
    ///
    /// - Returns: their number; where it is below `limit` and the batch's capacity, no other packet waited.
    /// - Throws: the socket's error once its adapter is gone.
    func receive(_ batch: PacketBatch, limit: Int) throws(SystemError) -> Int

    /// The error that `poll` reported.
    func pendingError() -> SystemError

    /// The number of packets that were dropped because they were not read in time.
    func droppedPackets() -> UInt32
}

/// One change of an adapter's power, under way.
protocol AdapterRepair: AnyObject {
    /// The outcome; `nil` while the change is under way.
    var outcome: RepairOutcome? { get }

    /// Returns when the change is done, so that no adapter is left half way between down and up.
    func wait()
}

enum RepairOutcome: Sendable {
    case done
    case failed(SystemError)
}
