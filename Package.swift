// swift-tools-version: 6.2
import PackageDescription

// What apps consume: the SDK and the core that it shares with the server.
// The server is a package of its own (Server/Package.swift), so that an app never resolves a web server.
let package = Package(
    name: "belfry",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "Belfry", targets: ["Belfry"]),
        // For the notification service extension of an iOS app.
        .library(name: "BelfryNotificationService", targets: ["BelfryNotificationService"]),
        // For apps in Objective-C.
        .library(name: "BelfryObjC", targets: ["BelfryObjC"]),
        .library(name: "BelfryModel", targets: ["BelfryModel"]),
        .library(name: "BelfryRules", targets: ["BelfryRules"]),
        .library(name: "BelfryWire", targets: ["BelfryWire"]),
        .library(name: "BelfryInAppRenderer", targets: ["BelfryInAppRenderer"]),
        // For the tests of the packages beside this one.
        .library(name: "BelfryTestSupport", targets: ["BelfryTestSupport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")
    ],
    targets: [
        // URLSession on Linux keeps a processor busy while it waits, so the SDK calls libcurl itself there.
        .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "BelfryModel"),
        .target(name: "BelfryRules", dependencies: ["BelfryModel"]),
        .target(name: "BelfryWire", dependencies: ["BelfryModel"]),
        .target(name: "BelfryInAppRenderer", dependencies: ["BelfryModel"]),
        .target(
            name: "Belfry",
            dependencies: [
                "BelfryInAppRenderer", "BelfryModel", "BelfryRules", "BelfryWire",
                .product(name: "GRDB", package: "GRDB.swift"),
                .target(name: "CLibcurl", condition: .when(platforms: [.linux])),
            ],
            // Apple's tools look for it in the bundle of a package's resources.
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .target(name: "BelfryNotificationService", dependencies: ["Belfry", "BelfryModel", "BelfryWire"]),
        .target(name: "BelfryObjC", dependencies: ["Belfry", "BelfryModel"]),
        // What the tests of several targets need; no product holds it.
        .target(
            name: "BelfryTestSupport", dependencies: ["BelfryModel", "BelfryRules"], path: "Tests/BelfryTestSupport"
        ),
        .testTarget(name: "BelfryModelTests", dependencies: ["BelfryModel", "BelfryTestSupport"]),
        .testTarget(name: "BelfryRulesTests", dependencies: ["BelfryRules", "BelfryModel", "BelfryTestSupport"]),
        .testTarget(
            name: "BelfryInAppRendererTests",
            dependencies: ["BelfryInAppRenderer", "BelfryModel", "BelfryTestSupport"]
        ),
        .testTarget(
            name: "BelfryTests",
            dependencies: [
                "Belfry", "BelfryInAppRenderer", "BelfryModel", "BelfryNotificationService", "BelfryObjC",
                "BelfryRules",
                "BelfryWire", "BelfryTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            resources: [.copy("Fixtures")]
        ),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
        ]
}
