// swift-tools-version: 6.2

import PackageDescription

// A later compiler may warn of more, and must still build a gateway's agent.
#if compiler(<6.4)
    let warnings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
#else
    let warnings: [SwiftSetting] = []
#endif

// Every target builds in Swift 6 mode, which checks concurrency completely.
let settings: [SwiftSetting] =
    warnings + [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]

let collections: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let real: Target.Dependency = .product(name: "RealModule", package: "swift-numerics")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A target of tests, which all may use the pure module, and what tests have in common.
func tests(
    _ name: String, in folder: String = "Tests/Rules", _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: ["Core", "PayloadReaders", "TestAir"] + dependencies, path: "\(folder)/\(name)",
        exclude: exclude,
        swiftSettings: settings)
}

let package = Package(
    name: "beacond",
    products: [.executable(name: "beacond", targets: ["beacond"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // System libraries: a shim header and a module map, no logic.
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // What Swift's own module of the C library leaves out.
        .systemLibrary(name: "CLinux"),
        // The one piece of C: it keeps an assertion of libmosquitto from ending the process.
        .target(name: "CMosquittoReader"),

        // Pure: no I/O, no clock, no thread, no Foundation. Time is an argument. Its folders have an order, which a test holds.
        .target(name: "Core", dependencies: ["CCrypto", collections, heap, real], swiftSettings: settings),
        // What reaches a disk, a socket, a clock or a thread.
        .target(
            name: "Agent",
            dependencies: [
                "Core", "CBluetooth", "CLinux", "CMosquitto", "CMosquittoReader", "CSQLite", "CZlib", collections,
                logging,
            ],
            swiftSettings: settings),
        // The program: its commands, and what they show.
        .executableTarget(
            name: "beacond", dependencies: ["Core", "Agent", arguments, logging, lifecycle, signals],
            swiftSettings: settings),

        // Unit tests on injected time.
        .target(name: "Recordings", path: "Tests/Rules/Recordings", swiftSettings: settings),
        .target(
            name: "PayloadReaders", dependencies: ["Core"], path: "Tests/Rules/PayloadReaders", swiftSettings: settings),
        .target(name: "TestDisk", dependencies: ["CSQLite"], path: "Tests/Rules/TestDisk", swiftSettings: settings),
        .target(name: "TestAir", dependencies: ["Core", real], path: "Tests/Rules/TestAir", swiftSettings: settings),
        tests("HCITests"),
        tests("CiphersTests"),
        tests("BeaconsTests", ["Recordings"]),
        tests("LocationTests"),
        tests("ReceiversTests"),
        tests("ConfigurationTests"),
        tests("MessagesTests"),
        tests("FleetTests"),
        tests("GatewayTests"),
        tests("SiteTests", [real]),
        tests("ConsoleTests"),
        tests("StoreSimulatorTests", ["Recordings", real]),
        tests("LoopsTests", ["Agent"]),
        tests("GPSTests", ["Agent"], exclude: ["Recorded"]),
        tests("RadioTests", ["Agent"]),
        tests("MQTTTests", ["Agent"]),
        tests("ReplayTests", ["beacond"]),
        tests("BeacondTests", ["Agent", "beacond", lifecycle, logging]),
        tests("VirtualControllerTests", ["VirtualController"]),

        // The whole agent in a simulated world; a program of its own, so that it can be built and run by itself.
        .executableTarget(
            name: "Simulation",
            dependencies: ["Core", "PayloadReaders", "TestAir", "TestDisk", "Agent", "CBluetooth", "CSQLite", logging],
            path: "Tests/Worlds/Simulation/Simulator", swiftSettings: settings),

        // Tests against the real thing: a disk, a broker, gpsd, the kernel.
        .target(name: "Loopback", path: "Tests/Agent/Loopback", swiftSettings: settings),
        .executableTarget(
            name: "OutboxCrashChild", dependencies: ["Core", "Agent"], path: "Tests/Agent/OutboxCrashChild",
            swiftSettings: settings),
        .executableTarget(
            name: "VirtualController", dependencies: ["Core", arguments],
            path: "Tests/Agent/KernelRig/VirtualController",
            swiftSettings: settings),
        tests("OutboxTests", in: "Tests/Agent", ["Agent", "CSQLite", "OutboxCrashChild", "TestDisk"]),
        tests("MQTTIntegrationTests", in: "Tests/Agent", ["Agent", "Loopback", logging]),
        tests("GPSIntegrationTests", in: "Tests/Agent", ["Agent", "Loopback"]),
    ]
)

// BEACOND_TESTS=GatewayTests,SiteTests builds these test targets and what they need, and nothing else: an edit is tested sooner.
if let chosen = Context.environment["BEACOND_TESTS"], !chosen.isEmpty {
    var needed: Set<String> = []
    var names = chosen.split(separator: ",").map(String.init)
    while let name = names.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        for case .byNameItem(let dependency, _) in target.dependencies { names.append(dependency) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
}

// BEACOND_BUILD=once is for a clone that is built once and thrown away. Nothing is written for a debugger: SwiftPM's own -g stands after these
// flags, so the frontend gets the opposite. The compiler takes each target of tests as a whole and reads it once, since no other target imports it.
// That halves a build of the tests, but an edit would compile a whole target anew.
if Context.environment["BEACOND_BUILD"] == "once" {
    let whole = ["-whole-module-optimization", "-num-threads", "1", "-no-emit-module-separately-wmo"]
    for target in package.targets where target.type != .system {
        let flags = ["-Xfrontend", "-gnone"] + (target.type == .test ? whole : [])
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
    }
}
