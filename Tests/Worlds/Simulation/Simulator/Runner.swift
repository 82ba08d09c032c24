import Glibc

@testable import Core

/// The command line: the seeds to play, and the reports about them.
///
///     Simulation --seeds N [--first F] [--every E]    seeds F, F + E, … N of them
///     Simulation --seed S [--trace]                   one seed
///     Simulation --store …                            the same of the world in which several gateways make a store
///     Simulation --learning [--days D] …              of stores that learn the offsets of their gateways, a year or D days each
///     Simulation --twin …                             of that world, where only lines and gateways fail, beside its undisturbed twin
struct Runner {
    private var first: UInt64 = 1
    private var count: UInt64 = 1
    private var every: UInt64 = 1
    private var days: UInt64 = 365
    private var isTraced = false
    private var isStore = false
    private var hasTwin = false
    private var isLearning = false
    private var problem: String?

    init(_ arguments: [String]) {
        var words = arguments.dropFirst()
        while let word = words.popFirst() {
            switch word {
            case "--trace": isTraced = true
            case "--store": isStore = true
            case "--learning": isLearning = true
            case "--twin": (isStore, hasTwin) = (true, true)
            case "--seed": first = number(words.popFirst())
            case "--seeds": count = number(words.popFirst())
            case "--first": first = number(words.popFirst())
            case "--days": days = min(number(words.popFirst()), 3_650)
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
        if isLearning { return learn() }
        var failed: UInt64 = 0
        var totals = Totals()
        for index in 0..<count {
            let seed = first &+ index &* every
            let failure = play(seed, &totals)
            guard let failure else { continue }
            failed += 1
            let world = hasTwin ? "twin" : isStore ? "store" : ""
            print("failed: \(world.isEmpty ? "" : world + " ")seed \(seed)\(failure)")
            let option = world.isEmpty ? "" : "--\(world) "
            print("again: Tests/Worlds/Simulation/run .build/debug \(option)--seed \(seed) --trace")
            fflush(nil)
        }
        print(totals)
        print("\(count - failed) passed, \(failed) failed, 0 skipped")
        return failed == 0 ? 0 : 1
    }

    /// Plays years of stores that learn.
    private func learn() -> Int32 {
        var figures = LearningFigures()
        for index in 0..<count {
            let years = LearningYears(seed: first &+ index &* every, days: Int(days))
            years.play(into: &figures)
            if isTraced { print(figures.description) }
            fflush(nil)
        }
        print(figures.description)
        let failures = figures.failures
        for failure in failures { print("failed: \(failure)") }
        print("\(count) passed, \(failures.count) failed, 0 skipped")
        return failures.isEmpty ? 0 : 1
    }

    /// - Returns: a report of the violation; `nil` where there is none.
    private func play(_ seed: UInt64, _ totals: inout Totals) -> String? {
        do {
            let world: any PlayedWorld =
                isStore
                ? StoreWorld(try StoreScenario(seed: seed, hasTwin: hasTwin), isTraced: isTraced)
                : World(try Scenario(seed: seed), isTraced: isTraced)
            world.play()
            totals.add(world)
            return world.violation.map { ", step \(world.steps), \((world.now - .origin).seconds) s: \($0)" }
        } catch {
            return ": \(error)"
        }
    }
}

/// Totals of what happened, which prove that something did.
struct Totals: CustomStringConvertible {
    private var figures: [(name: String, value: Int)] = []
    private var simulated = TimeSpan.zero

    mutating func add(_ world: some PlayedWorld) {
        if figures.isEmpty { figures = world.figures.map { ($0.key, 0) } }
        for (index, figure) in world.figures.enumerated() { figures[index].value += figure.value }
        simulated = simulated + (world.now - .origin)
    }

    var description: String {
        let hours = (name: "hours", value: Int(simulated.seconds / 3600))
        return (figures.prefix(1) + [hours] + figures.dropFirst()).map { "\($0.name)=\($0.value)" }
            .joined(separator: " ")
    }
}
