import Core
import Glibc

/// Linux itself. Made on the thread of the loop that works through it.
final class LinuxBluetooth: BluetoothKernel {
    private let deviceEvents = try? DeviceEventSocket()

    package var now: Instant { MonotonicClock.now }
    var wall: WallTime { MonotonicClock.wall }
    var deviceEventsDescriptor: Int32 { deviceEvents?.descriptor ?? -1 }

    func survey() -> AdapterSurvey { .current() }
    func takeDeviceEvents() -> [DeviceEvent] { deviceEvents?.drain() ?? [] }

    func open(_ index: UInt16, filter: HCIFilter) throws(SystemError) -> any AdapterSocket {
        try RawAdapterSocket(index: index, filter: filter)
    }

    func repair(_ step: RecoveryStep, index: UInt16, bell: Doorbell) throws(SystemError) -> any AdapterRepair {
        try PowerChange(step, index: index, bell: bell)
    }

    func poll(_ slots: UnsafeMutableBufferPointer<pollfd>, timeout_ms: Int32) -> Int32 {
        Glibc.poll(slots.baseAddress, nfds_t(slots.count), timeout_ms)
    }
}
