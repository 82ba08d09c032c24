import Configuration
import Glibc
import HCI

/// The command line: which seeds are played, and what is said of them.
///
///     Simulation --seeds N [--first F] [--every E]    seeds F, F + E, … N of them
///     Simulation --seed S [--trace]                   one seed
struct Runner {
    private var first: UInt64 = 1
    private var count: UInt64 = 1
    private var every: UInt64 = 1
    private var isTraced = false
    private var problem: String?

    init(_ arguments: [String]) {
        var words = arguments.dropFirst()
        while let word = words.popFirst() {
            switch word {
            case "--trace": isTraced = true
            case "--seed": first = number(words.popFirst())
            case "--seeds": count = number(words.popFirst())
            case "--first": first = number(words.popFirst())
            case "--every": every = max(1, number(words.popFirst()))
            default: problem = "unknown word \(word)"
            }
        }
    }

    private mutating func number(_ word: String?) -> UInt64 {
        guard let word, let number = UInt64(word) else {
            problem = "a number is missing"
            return 0
        }
        return number
    }

    /// Plays, and returns the exit status.
    func run() -> Int32 {
        if let problem {
            print(problem)
            return EX_USAGE
        }
        var failed: UInt64 = 0
        var totals = Totals()
        for index in 0..<count where !play(first &+ index &* every, &totals) { failed += 1 }
        print(totals.description)
        print("\(count - failed) passed, \(failed) failed, 0 skipped")
        return failed == 0 ? 0 : 1
    }

    private func play(_ seed: UInt64, _ totals: inout Totals) -> Bool {
        let scenario: Scenario
        do {
            scenario = try Scenario(seed: seed)
        } catch {
            print("failed: seed \(seed): \(error)")
            return false
        }
        let world = World(scenario, isTraced: isTraced)
        world.play()
        totals.add(world)
        guard let violation = world.violation else { return true }
        print("failed: seed \(seed), step \(world.steps), \((world.now - .origin).seconds) s: \(violation)")
        fflush(nil)
        return false
    }
}

/// What happened in all, so that it can be seen that something did.
struct Totals {
    private var steps = 0
    private var lives = 0
    private var events = 0
    private var repetitions = 0
    private var gaps = 0
    private var spans = 0
    private var counts = 0
    private var batches = 0
    private var places = 0
    private var crossings = 0
    private var dueCrossings = 0
    private var faults = 0
    private var simulated = TimeSpan.zero

    mutating func add(_ world: World) {
        steps += world.steps
        lives += world.lives
        events += world.subscriber.eventCount
        repetitions += world.subscriber.repetitionCount
        gaps += world.subscriber.gapCount
        spans += world.coverage.spanCount
        counts += world.census.comparisons
        batches += world.tracks.batchCount
        places += world.tracks.placeCount
        crossings += world.circles.crossingCount
        dueCrossings += world.circles.dueCount
        faults += world.scenario.faults.count
        simulated = simulated + (world.now - .origin)
    }

    var description: String {
        "steps=\(steps) hours=\(Int(simulated.seconds / 3600)) faults=\(faults) lives=\(lives) events=\(events) "
            + "repetitions=\(repetitions) gaps=\(gaps) spans=\(spans) counts=\(counts) "
            + "crossings=\(crossings) due=\(dueCrossings) places=\(places) batches=\(batches)"
    }
}
