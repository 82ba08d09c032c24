import Testing

@testable import Agent
@testable import Core

@Suite("The commands up to advertising")
struct AdvertisingProcedureTests {
    private func run(features: LEFeatures, answering statuses: [HCIStatus]) -> [AdvertisingProcedure.Progress] {
        var procedure = AdvertisingProcedure()
        return statuses.map { procedure.answered($0, features: procedure.step == .readFeatures ? features : nil) }
    }

    @Test("Parameters, data, enable, with the commands that the LE feature bit selects")
    func families() {
        #expect(
            run(features: [], answering: [.success, .success, .success, .success]) == [
                .next(.setParameters(.legacy)), .next(.setData(.legacy)), .next(.enable(.legacy)),
                .advertising(.legacy),
            ])
        #expect(
            run(features: .extendedAdvertising, answering: [.success, .success, .success, .success]).last
                == .advertising(.extended))
    }

    @Test("A controller without extended advertising gets the legacy commands")
    func fallback() {
        #expect(
            run(
                features: .extendedAdvertising, answering: [.success, .unknownCommand, .success, .success, .success]
            ).last == .advertising(.legacy))
    }

    @Test("Each family is tried once, and the last refusal is reported")
    func refused() {
        let progress = run(features: [], answering: [.success, .unsupportedFeature, .unknownCommand]).last
        #expect(progress == .refused(Opcode.advertisingParameters(.extended), .unknownCommand))
    }

    @Test("An earlier process's advertisement is switched off, and the parameters are tried again")
    func leftover() {
        for (features, family) in [(LEFeatures(), CommandFamily.legacy), (.extendedAdvertising, .extended)] {
            let progress = run(
                features: features,
                answering: [.success, .commandDisallowed, .success, .success, .success, .success])
            #expect(
                progress == [
                    .next(.setParameters(family)), .next(.disable(family)), .next(.setParameters(family)),
                    .next(.setData(family)), .next(.enable(family)), .advertising(family),
                ])
        }
    }

    @Test("A failed switch-off is tried once, and then the other family is tried")
    func otherFamilyInUse() {
        let progress = run(
            features: .extendedAdvertising,
            answering: [
                .success, .commandDisallowed, .commandDisallowed, .commandDisallowed, .success, .success, .success,
            ])
        #expect(progress[1] == .next(.disable(.extended)))
        #expect(progress[3] == .next(.setParameters(.legacy)))
        #expect(progress.last == .advertising(.legacy))
    }

    private let frame = IBeaconFrame(
        identity: BeaconIdentity(uuid: ProximityUUID(high: 0x1122, low: 0x3344), major: 1, minor: 2),
        measuredPower_dbm: -59)

    @Test("The advertisement is in non-connectable legacy PDUs, every 100 ms by default")
    func packets() throws {
        let advertisement = Advertisement(frame)
        let legacy = try #require(advertisement.packet(for: .setParameters(.legacy)))
        #expect(legacy.prefix(9) == [0x01, 0x06, 0x20, 0x0F, 0xA0, 0x00, 0xA0, 0x00, 0x03])
        let extended = try #require(advertisement.packet(for: .setParameters(.extended)))
        #expect(extended.prefix(13) == [0x01, 0x36, 0x20, 0x19, 0xEF, 0x10, 0x00, 0xA0, 0x00, 0x00, 0xA0, 0x00, 0x00])
        #expect(advertisement.packet(for: .disable(.legacy)) == [0x01, 0x0A, 0x20, 0x01, 0x00])
        #expect(advertisement.packet(for: .removeSet) == [0x01, 0x3C, 0x20, 0x01, 0xEF])
    }

    @Test("The data are the flags and the frame, which a legacy PDU can carry")
    func payload() throws {
        let advertisement = Advertisement(frame)
        let command: [UInt8] = [0x01, 0x08, 0x20, 0x20]
        let beginning: [UInt8] = [0x1E, 0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
        let packet = try #require(advertisement.packet(for: .setData(.legacy)))
        #expect(Array(packet.prefix(14)) == command + beginning)
        let end: [UInt8] = [0x00, 0x01, 0x00, 0x02, 0xC5]
        #expect(advertisement.data.suffix(5) == end[...])
        #expect(advertisement.data.count == 30)
        #expect(advertisement.packet(for: .setData(.extended)) != nil)
    }

    @Test("An interval is clamped to the range of controllers")
    func limits() throws {
        let hasty = Advertisement(frame, interval_ms: .nan)
        #expect(hasty.packet(for: .setParameters(.legacy))?[4...5] == [0x20, 0x00])
        let lazy = Advertisement(frame, interval_ms: .infinity)
        #expect(lazy.packet(for: .setParameters(.legacy))?[4...5] == [0x00, 0x40])
    }
}
