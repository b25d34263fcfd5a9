// swift-tools-version: 6.2
import PackageDescription

// The server, the simulators and the one program. A target imports only from the layer below it.
let belfryModel: Target.Dependency = .product(name: "BelfryModel", package: "belfry")
let belfryRules: Target.Dependency = .product(name: "BelfryRules", package: "belfry")
let belfryWire: Target.Dependency = .product(name: "BelfryWire", package: "belfry")
let belfrySDK: Target.Dependency = .product(name: "Belfry", package: "belfry")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "belfry-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "belfry", targets: ["BelfryCommand"]),
        .library(name: "BelfrySimulators", targets: ["BelfrySimulators"]),
    ],
    dependencies: [
        .package(name: "belfry", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: [.defaults, "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .target(name: "BelfryPush", dependencies: [belfryModel, crypto]),
        .target(
            name: "BelfryDelivery",
            dependencies: [
                "BelfryPush", "CNghttp2", belfryModel, logging, nioCore, nioPosix, nioSSL,
                .product(name: "NIOTLS", package: "swift-nio"),
            ]
        ),
        .target(name: "BelfryStore", dependencies: [belfryModel]),
        .target(
            name: "BelfrySQLite",
            dependencies: ["BelfryStore", .product(name: "GRDB", package: "GRDB.swift")]
        ),
        .target(
            name: "BelfryServices",
            dependencies: [
                "BelfryPush", "BelfryStore", belfryModel, belfryRules, crypto, logging, serviceLifecycle,
            ]
        ),
        .target(
            name: "BelfryAPI",
            dependencies: ["BelfryServices", belfryModel, belfryWire, hummingbird, logging]
        ),
        .target(
            name: "BelfrySimulators",
            dependencies: [
                crypto, hummingbird, logging, nioCore, nioPosix, nioSSL, nioHTTP2, serviceLifecycle,
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        // Named apart from the SDK's module `Belfry`, for file systems that do not tell the two.
        .executableTarget(
            name: "BelfryCommand",
            dependencies: [
                "BelfryAPI", "BelfryDelivery", "BelfryPush", "BelfryServices", "BelfrySimulators", "BelfrySQLite",
                "BelfryStore", belfryModel, belfryRules, belfrySDK, belfryWire, hummingbird, logging,
                nioCore, nioPosix, nioSSL, serviceLifecycle,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Configuration", package: "swift-configuration"),
            ]
        ),
        .testTarget(name: "BelfryPushTests", dependencies: ["BelfryPush", belfryModel, crypto]),
        .testTarget(
            name: "BelfryDeliveryTests",
            dependencies: [
                "BelfryDelivery", "BelfryPush", crypto, logging, nioCore, nioPosix, nioSSL, nioHTTP2,
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        .testTarget(
            name: "BelfrySimulatorsTests",
            dependencies: [
                "BelfrySimulators", crypto, logging, nioCore, nioPosix, nioSSL, serviceLifecycle,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]
        ),
        .testTarget(
            name: "BelfryProcessTests",
            dependencies: [
                // The program itself: these tests run it.
                "BelfryCommand", "BelfrySimulators", belfryModel, belfryWire, crypto, logging, nioCore, nioPosix,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BelfryAPITests",
            dependencies: [
                "BelfryAPI", "BelfrySQLite", "BelfryServices", "BelfryStore", belfryModel, belfryWire, crypto,
                hummingbird, logging,
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "InMemoryLogging", package: "swift-log"),
            ]
        ),
        .testTarget(name: "BelfryStoreTests", dependencies: ["BelfrySQLite", "BelfryStore", belfryModel]),
        .testTarget(
            name: "BelfryServicesTests",
            dependencies: [
                "BelfryPush", "BelfrySQLite", "BelfryServices", "BelfryStore", belfryModel, belfryRules, crypto,
                logging,
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]
        ),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
        ]
}
