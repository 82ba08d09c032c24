import TestAir
import Testing

@testable import Core

@Suite("The instances that a region can have")
struct InstanceTests {
    private func region(major: UInt16? = nil, _ expansion: BeaconRegion.Expansion) -> BeaconRegion {
        BeaconRegion(
            id: "carts", uuid: Air.uuid, major: major, expansion: expansion, rules: BeaconRules.defaults)
    }

    private let whole = RegionInstanceID(region: "carts")
    private let ofMajor = RegionInstanceID(region: "carts", .major(2))
    private let ofMinor = RegionInstanceID(region: "carts", .minor(major: 2, minor: 7))

    @Test("One, one for each major, or one for each major and minor, by its expansion")
    func expansion() {
        let all = [whole, ofMajor, ofMinor]
        #expect(all.filter(region(.none).canHave) == [whole])
        #expect(all.filter(region(.major).canHave) == [ofMajor])
        #expect(all.filter(region(.minor).canHave) == [ofMinor])
    }

    @Test("A region with a major has only instances of that major")
    func fixedMajor() {
        #expect(region(major: 2, .minor).canHave(ofMinor))
        #expect(!region(major: 3, .minor).canHave(ofMinor))
    }

    @Test("A region has no instance of another region")
    func otherRegion() {
        #expect(!region(.none).canHave(RegionInstanceID(region: "tills")))
    }
}
