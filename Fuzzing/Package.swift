// swift-tools-version: 6.2
import PackageDescription

// The package that `make fuzz` builds: one program with all fuzz targets and libFuzzer. It is built with
// `-sanitize=fuzzer` and `-enable-testing` (Scripts/fuzz), so that all modules of Belfry report their coverage to the
// fuzzer and the targets can use internal declarations. The tests of Server/ compile the same targets without a fuzzer
// and run the corpora.
let package = Package(
    name: "belfry-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "belfry", path: ".."),
        .package(name: "belfry-server", path: "../Server"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .target(
            name: "FuzzTargets",
            dependencies: [
                .product(name: "BelfryServerModules", package: "belfry-server"),
                .product(name: "Belfry", package: "belfry"),
                .product(name: "BelfryInAppRenderer", package: "belfry"),
                .product(name: "BelfryModel", package: "belfry"),
                .product(name: "BelfryRules", package: "belfry"),
                .product(name: "BelfryTestSupport", package: "belfry"),
                .product(name: "BelfryWire", package: "belfry"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // Declares the one libFuzzer function that is called; the compiler links the library.
        .target(name: "CLibFuzzer"),
        .executableTarget(name: "BelfryFuzz", dependencies: ["CLibFuzzer", "FuzzTargets"]),
    ]
)

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
        ]
}
