import Testing

@testable import Core

@Suite("Deferred updates")
struct DeferredTrackTests {
    @Test("Every used fix is kept, and published oldest first once the distance is travelled")
    func distance() throws {
        var track = DeferredTrack(distance_m: 95, timeout: .zero)
        for second in 0..<10 {
            #expect(track.keep(try fix(Double(second), north_m: Double(second) * 10), at: at(Double(second))) == nil)
        }
        let published = track.keep(try fix(10, north_m: 100), at: at(10))
        let batch = try #require(published)
        #expect(batch.finished == .distance)
        #expect(batch.fixes.map(\.at) == (0...10).map { time(Double($0)) })
        #expect(track.count == 0)
    }

    @Test("The way counts, not the distance from its start: there and back is travelled too")
    func thereAndBack() throws {
        var track = DeferredTrack(distance_m: 150, timeout: .zero)
        var batches = 0
        for second in 0...17 {
            let north_m = second <= 10 ? Double(second) * 10 : Double(20 - second) * 10
            if track.keep(try fix(Double(second), north_m: north_m), at: at(Double(second))) != nil { batches += 1 }
        }
        #expect(batches == 1)
    }

    @Test("Standing still travels nothing, however long the receiver wanders within its accuracy")
    func standing() throws {
        var track = DeferredTrack(distance_m: 50, timeout: .zero)
        for second in 0..<3_000 {
            let north_m = second % 2 == 0 ? 0.0 : 4.0
            #expect(track.keep(try fix(Double(second), north_m: north_m), at: at(Double(second))) == nil)
        }
    }

    @Test("The way between two batches belongs to the second")
    func between() throws {
        var track = DeferredTrack(distance_m: 100, timeout: .zero)
        _ = track.keep(try fix(0), at: at(0))
        #expect(track.keep(try fix(1, north_m: 101), at: at(1)) != nil)
        #expect(track.keep(try fix(2, north_m: 202), at: at(2))?.fixes.count == 1)
    }

    @Test("A batch is published when its first fix has waited for the timeout")
    func timeout() throws {
        var track = DeferredTrack(distance_m: 0, timeout: .seconds(60))
        #expect(track.deadline == .distantFuture)
        #expect(track.advance(to: at(100)) == nil)
        _ = track.keep(try fix(100), at: at(100))
        _ = track.keep(try fix(130, north_m: 9_000), at: at(130))
        #expect(track.deadline == at(160))
        #expect(track.advance(to: at(159.9)) == nil)
        let published = track.advance(to: at(160))
        let batch = try #require(published)
        #expect(batch.finished == .timeout)
        #expect(batch.fixes.count == 2)
        #expect(track.deadline == .distantFuture)
    }

    @Test("A stop tells the fixes held, and there is no empty batch")
    func stop() throws {
        var track = DeferredTrack(distance_m: 500, timeout: .seconds(60))
        _ = track.keep(try fix(0), at: at(0))
        #expect(track.stop() == TrackBatch(fixes: [try fix(0)], finished: .stopped))
        #expect(track.stop() == nil)
    }

    @Test("A full batch is published at once, and no fix is lost")
    func limit() throws {
        var track = DeferredTrack(distance_m: 1e9, timeout: .forever)
        var published = 0
        for second in 0..<2 * DeferredTrack.maxFixes + 5 {
            if let batch = track.keep(try fix(Double(second)), at: at(Double(second))) {
                #expect(batch.finished == .timeout)
                published += batch.fixes.count
            }
            #expect(track.count < DeferredTrack.maxFixes)
        }
        #expect(published == 2 * DeferredTrack.maxFixes)
        #expect(track.count == 5)
    }
}
