// swift-tools-version:6.2
import PackageDescription

/// The same strict settings as the libraries.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Tests see the same language, but may be lax about imports.
let testing: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
]

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "mien") }

let package = Package(
    name: "mien-benchmarks",
    dependencies: [
        .package(name: "mien", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // Puts load on a running server.
        .target(
            name: "MienLoad",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "mien-bench",
            dependencies: [
                "MienLoad",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]
                + ["MienClient", "MienModels", "MienTools"].map(product), swiftSettings: strict),
        .testTarget(name: "MienLoadTests", dependencies: ["MienLoad"], swiftSettings: testing),
        .testTarget(
            name: "MienBenchTests",
            dependencies: ["MienLoad", "mien-bench"] + ["MienModels", "MienTools"].map(product),
            swiftSettings: testing),
    ]
)
