// swift-tools-version: 6.2

import PackageDescription

// The programs that deploy/benchmark compares beacond with, and those that feed it. They are a package of their own, so
// that a build of beacond does not build them.
let package = Package(
    name: "Benchmarks",
    targets: [
        // Writes the captures of all measurements.
        .executableTarget(name: "capture", path: "Sources/capture"),
        // Does the work of beacond replay in plain C: the lower bound of the pipeline's costs.
        .executableTarget(name: "bound", path: "Sources/bound", linkerSettings: [.linkedLibrary("m")]),
        // Reads the reports that beacond run gets, and no more.
        .executableTarget(name: "reader", path: "Sources/reader"),
    ],
    cLanguageStandard: .gnu17
)
