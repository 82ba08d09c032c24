import TestAir
import Testing

@testable import Core

/// Values that are allowed alone, but not together.
struct RelationTests {
    @Test("A scan window is not longer than the interval")
    func window() {
        #expect(
            complaints("[radio]\nwindow_ms = 90") == ["radio.window_ms = 90: must be from 2.5 to interval_ms (60)"])
        #expect(
            complaints("[radio]\ninterval_ms = 20")
                == ["radio.window_ms = 30 (default): must be from 2.5 to interval_ms (20)"])
        #expect(complaints("[radio]\nwindow_ms = 60").isEmpty)
    }

    @Test("unknown_after_s is less than resolve_after_s")
    func rotation() {
        #expect(
            complaints("[rotation]\nresolve_after_s = 2")
                == ["rotation.resolve_after_s = 2: must be more than unknown_after_s (2), at most 86400"])
        #expect(complaints("[rotation]\nunknown_after_s = 10").count == 1)
        #expect(complaints("[rotation]\nresolve_after_s = 2.1").isEmpty)
    }

    @Test("immediate_m is less than near_m")
    func proximity() {
        #expect(
            complaints("[distance]\nimmediate_m = 4")
                == ["distance.immediate_m = 4: must be from 0.05 to less than near_m (4)"])
    }

    @Test("The longest time between ranging messages is not below the shortest")
    func ranging() {
        #expect(
            complaints("[ranging]\nmin_interval_s = 20")
                == ["ranging.max_interval_s = 10 (default): must be from min_interval_s (20) to 86400"])
        #expect(complaints("[ranging]\nmin_interval_s = 10").isEmpty)
    }

    @Test("The exit threshold is not above the entry threshold", arguments: ["regions", "region"])
    func thresholds(table: String) throws {
        let errors = complaints(document(table: table, line: "entry_rssi_dbm = -80\nexit_rssi_dbm = -70"))
        #expect(errors.count == 1)
        #expect(try #require(errors.first).contains("exit_rssi_dbm = -70: must be at most entry_rssi_dbm (-80)"))
        #expect(complaints(document(table: table, line: "exit_rssi_dbm = -90")).count == 1)
        #expect(complaints(document(table: table, line: "entry_rssi_dbm = -70")).isEmpty)
        #expect(complaints(document(table: table, line: "entry_rssi_dbm = -70\nexit_rssi_dbm = -70")).isEmpty)
    }

    @Test("A region's own threshold is compared with the one of [regions]")
    func thresholdAcrossTables() {
        let regions = "[regions]\nentry_rssi_dbm = -70\nexit_rssi_dbm = -80\n"
        #expect(complaints(regions + region("entry_rssi_dbm = -90")).count == 1)
        #expect(complaints(regions + region("entry_rssi_dbm = -75")).isEmpty)
    }

    @Test("Thresholds that contradict each other in [regions] are reported once, not for every region")
    func thresholdsOnce() {
        let errors = complaints("[regions]\nexit_rssi_dbm = -80\n" + region() + region(id: "staff"))
        #expect(errors.count == 1)
        #expect(errors.holdForAll { $0.hasPrefix("regions.exit_rssi_dbm = -80: ") })
    }

    @Test("An error that only follows from another one is not reported")
    func consequence() {
        #expect(complaints("[radio]\ninterval_ms = \"100\"\nwindow_ms = 90").count == 1)
        #expect(complaints("[mqtt]\nurl = \"mqtts//x\"\nca_file = \"/ca.pem\"").count == 1)
    }

    @Test("Measured numbers without a model select the log model")
    func measuredMeansLog() throws {
        func model(_ lines: String) throws -> DistanceModel {
            try Settings.parse("[distance]\n" + lines).gateway.distance.model
        }
        #expect(try model("") == .indoor)
        #expect(try model("path_loss_exponent = 2") == .log)
        #expect(try model("excess_loss_db = 3") == .log)
        #expect(try model("room_m = 12") == .log)
        #expect(try model("model = \"log\"\npath_loss_exponent = 2") == .log)
        #expect(try model("model = \"log\"") == .log)
    }

    @Test(
        "Measured numbers are an error beside a model that does not use them",
        arguments: ["indoor", "curve"])
    func measuredBesideAnother(model: String) throws {
        for line in ["path_loss_exponent = 2", "excess_loss_db = 3", "room_m = 12"] {
            let errors = complaints("[distance]\nmodel = \"\(model)\"\n" + line)
            #expect(errors.count == 1)
            let error = try #require(errors.first)
            #expect(error.hasPrefix("distance.\(line): is of model \"log\" alone"))
            #expect(error.hasSuffix("leave out this line, or the model's"))
        }
        #expect(complaints("[distance]\nmodel = \"\(model)\"").isEmpty)
        #expect(complaints("[distance]\nmodel = \"\(model)\"\npath_loss_exponent = -1").count == 1)
        #expect(complaints("[distance]\nmodel = \"outdoor\"\nroom_m = 12").count == 1)
    }
}
