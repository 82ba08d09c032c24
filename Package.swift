// swift-tools-version: 6.2

import PackageDescription

// Every target builds in Swift 6 mode, which checks concurrency completely.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
]

let collections: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let real: Target.Dependency = .product(name: "RealModule", package: "swift-numerics")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

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
        // What Swift's own module of the C library leaves out.
        .systemLibrary(name: "CLinux"),
        // The one piece of C: it keeps an assertion of libmosquitto from ending the process.
        .target(name: "CMosquittoReader"),

        // Pure targets: no I/O, no clock, no thread, no Foundation. Time is an argument.
        .target(name: "HCI", dependencies: [heap], swiftSettings: settings),
        .target(name: "Ciphers", dependencies: ["CCrypto"], swiftSettings: settings),
        .target(
            name: "Beacons", dependencies: ["HCI", "Ciphers", collections, real], swiftSettings: settings),
        .target(name: "Location", dependencies: ["HCI", real], swiftSettings: settings),
        .target(
            name: "Regions", dependencies: ["HCI", "Beacons", "Location", heap, real], swiftSettings: settings),
        .target(
            name: "Messages", dependencies: ["HCI", "Ciphers", "Beacons", "Location", "Regions"],
            swiftSettings: settings),
        .target(
            name: "Configuration", dependencies: ["HCI", "Beacons", "Location", "Regions", "Messages"],
            swiftSettings: settings),
        .target(
            name: "Gateway", dependencies: ["HCI", "Beacons", "Location", "Regions", "Messages", "Configuration"],
            swiftSettings: settings),
        .target(
            name: "Site",
            dependencies: ["HCI", "Beacons", "Regions", "Messages", "Configuration", "Gateway", real],
            swiftSettings: settings),
        .target(
            name: "Console",
            dependencies: ["HCI", "Beacons", "Location", "Regions", "Messages", "Configuration", real],
            swiftSettings: settings),

        // Targets with I/O.
        .target(name: "Files", swiftSettings: settings),
        .target(name: "Loops", dependencies: ["HCI", "CLinux"], swiftSettings: settings),
        .target(
            name: "GPS", dependencies: ["HCI", "Location", "Messages", "Configuration", "Loops"],
            swiftSettings: settings
        ),
        .target(
            name: "Outbox", dependencies: ["HCI", "Messages", "Files", "CSQLite", collections], swiftSettings: settings),
        .target(
            name: "Radio", dependencies: ["HCI", "Beacons", "Configuration", "Loops", "CBluetooth", logging],
            swiftSettings: settings),
        .target(
            name: "MQTT",
            dependencies: [
                "HCI", "Messages", "Configuration", "Files", "Loops", "CMosquitto", "CMosquittoReader", collections,
                logging,
            ],
            swiftSettings: settings),
        .target(
            name: "Daemon",
            dependencies: [
                "HCI", "Beacons", "Regions", "Location", "Messages", "Configuration", "Gateway", "Site", "Loops",
                "GPS", "Outbox", "Radio", "MQTT", logging,
            ],
            swiftSettings: settings),
        .target(name: "StoreSimulator", dependencies: ["HCI", "Beacons", heap, real], swiftSettings: settings),
        .executableTarget(
            name: "beacond",
            dependencies: [
                "HCI", "Beacons", "Regions", "Location", "Messages", "Configuration", "Gateway", "Site", "Console",
                "Files", "Loops", "GPS", "Outbox", "Radio", "MQTT", "Daemon", "StoreSimulator", arguments, logging,
                lifecycle,
                signals,
            ],
            swiftSettings: settings),

        // Unit tests on injected time.
        .target(name: "Recordings", path: "Tests/Rules/Recordings", swiftSettings: settings),
        .target(
            name: "TestAir", dependencies: ["HCI", "Beacons"], path: "Tests/Rules/TestAir", swiftSettings: settings),
        .testTarget(name: "HCITests", dependencies: ["HCI"], path: "Tests/Rules/HCITests", swiftSettings: settings),
        .testTarget(
            name: "CiphersTests", dependencies: ["Ciphers"], path: "Tests/Rules/CiphersTests", swiftSettings: settings),
        .testTarget(
            name: "BeaconsTests", dependencies: ["HCI", "Ciphers", "Beacons", "Recordings"],
            path: "Tests/Rules/BeaconsTests",
            swiftSettings: settings),
        .testTarget(
            name: "LocationTests", dependencies: ["HCI", "Location"], path: "Tests/Rules/LocationTests",
            swiftSettings: settings),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: ["HCI", "Beacons", "Location", "Regions", "Messages", "Configuration"],
            path: "Tests/Rules/ConfigurationTests", swiftSettings: settings),
        .testTarget(
            name: "MessagesTests", dependencies: ["HCI", "Beacons", "Location", "Regions", "Messages"],
            path: "Tests/Rules/MessagesTests", swiftSettings: settings),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "HCI", "Beacons", "Location", "Regions", "Messages", "Configuration", "Gateway", "Console",
                "StoreSimulator", "TestAir",
            ],
            path: "Tests/Rules/GatewayTests", swiftSettings: settings),
        .testTarget(
            name: "SiteTests",
            dependencies: [
                "HCI", "Beacons", "Regions", "Messages", "Configuration", "Gateway", "Site", real,
            ],
            path: "Tests/Rules/SiteTests", swiftSettings: settings),
        .testTarget(
            name: "ReplayTests", dependencies: ["HCI", "Beacons", "beacond"], path: "Tests/Rules/ReplayTests",
            swiftSettings: settings),
        .testTarget(
            name: "ConsoleTests", dependencies: ["HCI", "Beacons", "Regions", "Configuration", "Console", "TestAir"],
            path: "Tests/Rules/ConsoleTests", swiftSettings: settings),
        .testTarget(
            name: "BeacondTests",
            dependencies: [
                "HCI", "Beacons", "Location", "Regions", "Messages", "Configuration", "Gateway", "Files", "Outbox",
                "Daemon",
                "beacond", lifecycle, logging,
            ],
            path: "Tests/Rules/BeacondTests", swiftSettings: settings),
        .testTarget(
            name: "MQTTTests", dependencies: ["HCI", "Messages", "Configuration", "Files", "MQTT"],
            path: "Tests/Rules/MQTTTests", swiftSettings: settings),
        .testTarget(
            name: "LoopsTests", dependencies: ["HCI", "Loops"], path: "Tests/Rules/LoopsTests", swiftSettings: settings),
        .testTarget(
            name: "GPSTests", dependencies: ["HCI", "Location", "Messages", "Configuration", "Loops", "GPS"],
            path: "Tests/Rules/GPSTests", exclude: ["Recorded"], swiftSettings: settings),
        .testTarget(
            name: "RadioTests", dependencies: ["HCI", "Beacons", "Configuration", "Loops", "Radio"],
            path: "Tests/Rules/RadioTests", swiftSettings: settings),
        .testTarget(
            name: "StoreSimulatorTests", dependencies: ["HCI", "Beacons", "Recordings", "StoreSimulator", real],
            path: "Tests/Rules/StoreSimulatorTests", swiftSettings: settings),

        // The whole agent in a simulated world; a program of its own, so that it can be built and run by itself.
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "HCI", "Beacons", "Regions", "Location", "Messages", "Configuration", "Gateway", "Loops", "GPS",
                "Outbox",
                "Radio", "MQTT", "Daemon", "CBluetooth", "CSQLite", logging,
            ],
            path: "Tests/Worlds/Simulation/Simulator", swiftSettings: settings),

        // Tests against the real thing: a disk, a broker, gpsd.
        .target(name: "Loopback", path: "Tests/Agent/Loopback", swiftSettings: settings),
        .executableTarget(
            name: "OutboxCrashChild", dependencies: ["HCI", "Messages", "Outbox"], path: "Tests/Agent/OutboxCrashChild",
            swiftSettings: settings),
        .testTarget(
            name: "OutboxTests", dependencies: ["HCI", "Messages", "Files", "Outbox", "CSQLite", "OutboxCrashChild"],
            path: "Tests/Agent/OutboxTests", swiftSettings: settings),
        .executableTarget(
            name: "VirtualController", dependencies: ["HCI", arguments],
            path: "Tests/Agent/KernelRig/VirtualController",
            swiftSettings: settings),
        .testTarget(
            name: "VirtualControllerTests", dependencies: ["HCI", "VirtualController"],
            path: "Tests/Rules/VirtualControllerTests", swiftSettings: settings),
        .testTarget(
            name: "MQTTIntegrationTests",
            dependencies: ["Loopback", "HCI", "Messages", "Configuration", "MQTT", logging],
            path: "Tests/Agent/MQTTIntegrationTests", swiftSettings: settings),
        .testTarget(
            name: "GPSIntegrationTests",
            dependencies: ["Loopback", "HCI", "Location", "Configuration", "Loops", "GPS"],
            path: "Tests/Agent/GPSIntegrationTests", swiftSettings: settings),
    ]
)
