@testable import Core

/// The advertisements on the air: meanwhile their parameters can't be changed, nor their sets removed.
///
/// Core 5.4, Vol 4, Part E, 7.8.5, 7.8.53 and 7.8.59.
struct EnabledAdvertising {
    /// No extended set has this handle.
    private static let legacy: UInt8 = 0xFF

    private var handles: Set<UInt8> = []

    func disallows(_ command: KnownCommand, _ parameters: Span<UInt8>) -> Bool {
        switch command {
        case .leSetAdvertisingParameters: handles.contains(Self.legacy)
        case .leSetExtendedAdvertisingParameters, .leRemoveAdvertisingSet:
            !parameters.isEmpty && handles.contains(parameters[0])
        default: false
        }
    }

    mutating func record(_ command: KnownCommand, _ parameters: Span<UInt8>) {
        switch command {
        case .leSetAdvertisingEnable:
            guard parameters.count == 1, let isEnabled = parameters.parameterFlag(at: 0) else { return }
            if isEnabled { handles.insert(Self.legacy) } else { handles.remove(Self.legacy) }
        case .leSetExtendedAdvertisingEnable:
            guard let request = AdvertisingSets(parameters: parameters) else { return }
            if request.isEnabled {
                handles.formUnion(request.handles)
            } else if request.handles.isEmpty {
                handles = []
            } else {
                handles.subtract(request.handles)
            }
        default:
            break
        }
    }
}
