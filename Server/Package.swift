// swift-tools-version: 6.2
import PackageDescription

// The server, the simulators and the one program. A target imports only from the layer below it.
let belfryModel: Target.Dependency = .product(name: "BelfryModel", package: "belfry")
let belfryRules: Target.Dependency = .product(name: "BelfryRules", package: "belfry")
let belfryTestSupport: Target.Dependency = .product(name: "BelfryTestSupport", package: "belfry")
let belfryWire: Target.Dependency = .product(name: "BelfryWire", package: "belfry")
let belfryInAppRenderer: Target.Dependency = .product(name: "BelfryInAppRenderer", package: "belfry")
let belfrySDK: Target.Dependency = .product(name: "Belfry", package: "belfry")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioWebSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "belfry-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "belfry", targets: ["BelfryProgram"]),
        .library(name: "BelfrySimulators", targets: ["BelfrySimulators"]),
        // For Fuzzing/, which builds them once more for the fuzzer.
        .library(
            name: "BelfryServerModules",
            targets: [
                "BelfryAPI", "BelfryCampaigns", "BelfryConsole", "BelfryDelivery", "BelfryPostgres", "BelfryPush",
                "BelfrySQLite", "BelfryServerModel", "BelfryServices", "BelfryStore",
            ]
        ),
    ],
    dependencies: [
        .package(name: "belfry", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: [.defaults, "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CScheduler"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "BelfryServerModel", dependencies: [belfryModel]),
        .target(name: "BelfryCampaigns", dependencies: ["BelfryServerModel", belfryModel, belfryRules]),
        .target(name: "BelfryPush", dependencies: ["BelfryServerModel", belfryModel, crypto, cryptoExtras]),
        .target(
            name: "BelfryDelivery",
            dependencies: [
                "BelfryPush", "CNghttp2", belfryModel, logging, nioCore, nioPosix, nioSSL,
                .product(name: "NIOTLS", package: "swift-nio"),
            ]
        ),
        .target(name: "BelfryStore", dependencies: ["BelfryServerModel", belfryModel, crypto]),
        .target(
            name: "BelfrySQLite",
            dependencies: [
                "BelfryStore", belfryModel, .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .target(name: "BelfryPostgres", dependencies: ["BelfryStore", "CLibpq", belfryModel]),
        // The browser SDK, compiled in: the folder `Browser` of this target is a link to the repository's.
        .target(
            name: "BelfryBrowser", dependencies: [crypto], exclude: ["Browser/sample", "Browser/tests"],
            resources: [.embedInCode("Browser")]
        ),
        .target(
            name: "BelfryServices",
            dependencies: [
                "BelfryCampaigns", "BelfryPush", "BelfryServerModel", "BelfryStore", belfryInAppRenderer, belfryModel,
                belfryRules, coreMetrics, crypto, cryptoExtras, logging, serviceLifecycle,
            ]
        ),
        .target(
            name: "BelfryAPI",
            dependencies: [
                "BelfryBrowser", "BelfryServerModel", "BelfryServices", "CZlib", belfryInAppRenderer, belfryModel,
                belfryWire, coreMetrics,
                hummingbird, logging, nioCore, nioHTTP1, nioHTTPTypes, nioSSL,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ]
        ),
        // The pages are compiled in, so that the program stays one file.
        .target(
            name: "BelfryConsole",
            dependencies: [
                "BelfryBrowser", "BelfryServerModel", "BelfryServices", belfryInAppRenderer, belfryModel, crypto,
                hummingbird, logging, serviceLifecycle,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("Pages"), .embedInCode("Assets")]
        ),
        .target(
            name: "BelfrySimulators",
            dependencies: [
                crypto, cryptoExtras, hummingbird, logging, nioCore, nioHTTP1, nioPosix, nioSSL, nioHTTP2,
                nioWebSocket, serviceLifecycle,
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        // A phone on the screen, with the real SDK.
        .target(
            name: "BelfryPhone",
            dependencies: [
                belfryInAppRenderer, belfryModel, belfryRules, belfrySDK, belfryWire, hummingbird, logging, nioCore,
                serviceLifecycle, .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            resources: [.embedInCode("Assets")]
        ),
        .target(
            name: "BelfryCommand",
            dependencies: [
                "BelfryAPI", "BelfryBrowser", "BelfryConsole", "BelfryDelivery", "BelfryPhone", "BelfryPostgres",
                "BelfryPush",
                "BelfryServerModel",
                "BelfryServices",
                "BelfrySimulators", "BelfrySQLite", "BelfryStore",
                .target(name: "CScheduler", condition: .when(platforms: [.linux])),
                belfryModel, belfryRules, belfrySDK, belfryWire,
                crypto, hummingbird, logging, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [.embedInCode("Demo/Website")]
        ),
        .target(
            name: "BelfryBench",
            dependencies: [
                "BelfryAPI", "BelfryCommand", "BelfryDelivery", "BelfryPostgres", "BelfryPush", "BelfryServerModel",
                "BelfryServices", "BelfrySimulators", "BelfrySQLite", "BelfryStore", belfryModel, belfrySDK, belfryWire,
                crypto, logging, nioCore, nioPosix, serviceLifecycle,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        // Named apart from the SDK's module `Belfry`, for file systems that do not tell the two.
        .executableTarget(
            name: "BelfryProgram",
            dependencies: [
                "BelfryBench", "BelfryCommand", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(
            name: "BelfryServerTestSupport",
            dependencies: [
                "BelfryPostgres", "BelfrySQLite", "BelfryStore", belfryModel, belfryTestSupport, crypto, nioSSL,
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Tests/BelfryServerTestSupport"
        ),
        .testTarget(
            name: "BelfryServerModelTests", dependencies: ["BelfryServerModel", belfryModel, belfryTestSupport]
        ),
        .testTarget(
            name: "BelfryCampaignsTests",
            dependencies: ["BelfryCampaigns", "BelfryServerModel", belfryModel, belfryTestSupport]),
        .testTarget(
            name: "BelfryPushTests",
            dependencies: [
                "BelfryPush", "BelfryServerModel", "BelfryServerTestSupport", belfryModel, belfryTestSupport, crypto,
                cryptoExtras,
            ]
        ),
        .testTarget(
            name: "BelfryDeliveryTests",
            dependencies: [
                "BelfryDelivery", "BelfryPush", "BelfryServerTestSupport", belfryTestSupport, logging, nioCore,
                nioPosix, nioSSL, nioHTTP2,
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ]
        ),
        .testTarget(
            name: "BelfrySimulatorsTests",
            dependencies: [
                "BelfryServerTestSupport", "BelfrySimulators", belfryTestSupport, crypto, cryptoExtras, logging,
                nioCore,
                nioHTTP1, nioPosix, nioSSL, nioWebSocket, serviceLifecycle,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]
        ),
        // A scripted client of Mobile Engage v3 for the tests; it shares no code with ours.
        .target(name: "V3Client", path: "Tests/V3Client"),
        // An app with the SDK, for the tests to kill.
        .executableTarget(
            name: "TrackingProbe", dependencies: [belfryModel, belfrySDK], path: "Tests/TrackingProbe"
        ),
        .testTarget(
            name: "BelfryProcessTests",
            dependencies: [
                // The programs themselves: these tests run them.
                "BelfryAPI", "BelfryBench", "BelfryBrowser", "BelfryCommand", "BelfryDelivery", "BelfryPostgres",
                "BelfryProgram", "BelfryPush", "BelfrySQLite", "BelfryServerModel", "BelfryServerTestSupport",
                "BelfryServices", "BelfrySimulators", "BelfryStore",
                .target(name: "CScheduler", condition: .when(platforms: [.linux])), "TrackingProbe", "V3Client",
                belfryModel,
                belfrySDK, belfryTestSupport, belfryWire, crypto, nioSSL, logging, nioCore, nioPosix,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BelfryAPITests",
            dependencies: [
                "BelfryAPI", "BelfryBrowser", "BelfryServerModel", "BelfryServerTestSupport", "BelfryServices",
                "BelfryStore", belfryModel, belfrySDK, belfryTestSupport, belfryWire, crypto, hummingbird, logging,
                nioCore, nioHTTP1,
                nioHTTPTypes, nioPosix, nioSSL, serviceLifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "BelfryConsoleTests",
            dependencies: [
                "BelfryAPI", "BelfryBrowser", "BelfryConsole", "BelfryPush", "BelfryServerModel",
                "BelfryServerTestSupport", "BelfryServices",
                "BelfryStore", belfryModel, belfryTestSupport, crypto, hummingbird, logging, nioCore, nioPosix,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]
        ),
        .testTarget(
            name: "BelfryPhoneTests",
            dependencies: [
                "BelfryPhone", belfryModel, belfryRules, belfrySDK, belfryTestSupport, belfryWire, hummingbird, logging,
                nioCore, nioPosix, serviceLifecycle,
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]
        ),
        // The targets of Fuzzing/, which it holds by a link, without a fuzzer: they run the corpora.
        .testTarget(
            name: "BelfryFuzzTests",
            dependencies: [
                "BelfryAPI", "BelfryCampaigns", "BelfryConsole", "BelfryDelivery", "BelfryPostgres", "BelfryPush",
                "BelfryServerModel", "BelfryServices", "BelfrySQLite", "BelfryStore", belfryInAppRenderer, belfryModel,
                belfryRules, belfrySDK, belfryTestSupport, belfryWire, hummingbird, nioCore,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "BelfryStoreTests",
            dependencies: [
                "BelfryCampaigns", "BelfryPostgres", "BelfryServerModel", "BelfryServerTestSupport", "BelfrySQLite",
                "BelfryStore", belfryModel, belfryTestSupport,
            ]
        ),
        .testTarget(
            name: "BelfryServicesTests",
            dependencies: [
                "BelfryCampaigns", "BelfryPush", "BelfryServerModel", "BelfryServerTestSupport", "BelfryServices",
                "BelfrySQLite", "BelfryStore", belfryModel, belfryRules, belfryTestSupport, coreMetrics, crypto,
                cryptoExtras, logging,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]
        ),
    ]
)

// A person waits for these, not a fleet: they are made small (PERF-10).
let builtForSize: Set = ["BelfryBench", "BelfryCommand", "BelfryConsole", "BelfryPhone", "BelfrySimulators"]
for target in package.targets where builtForSize.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
}

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
        ]
}
