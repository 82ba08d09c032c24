// swift-tools-version: 6.2

import PackageDescription

// What deploy/benchmark compares beacond with and feeds it with: a package of its own, so that it costs nobody who builds
// beacond anything.
let package = Package(
    name: "Benchmarks",
    targets: [
        // Writes the captures that everything is measured on.
        .executableTarget(name: "capture", path: "Sources/capture"),
        // The same work as beacond replay's in straight C: what the pipeline costs at the least.
        .executableTarget(name: "bound", path: "Sources/bound", linkerSettings: [.linkedLibrary("m")]),
        // Reads the reports that beacond run gets, and no more.
        .executableTarget(name: "reader", path: "Sources/reader"),
    ],
    cLanguageStandard: .gnu17
)
