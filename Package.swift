// swift-tools-version:6.2
import PackageDescription

/// For every Swift target of ours: see what is unsafe, see what is imported, let nothing through as a warning.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Tests see the same language, but may be lax about imports.
let testing: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error)]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "mien",
    products: [
        .library(name: "MienCore", targets: ["MienCore"]),
        .library(name: "MienPixels", targets: ["MienPixels"]),
        .library(name: "MienImage", targets: ["MienImage"]),
        .library(name: "MienInference", targets: ["MienInference"]),
        .library(name: "MienFace", targets: ["MienFace"]),
        .library(name: "MienModels", targets: ["MienModels"]),
        .library(name: "MienVault", targets: ["MienVault"]),
        .library(name: "MienPackBuilder", targets: ["MienPackBuilder"]),
        .library(name: "MienTesting", targets: ["MienTesting"]),
        .executable(name: "mien", targets: ["mien"]),
        .executable(name: "mien-pack", targets: ["mien-pack"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        // What the machine provides: a module map, pkg-config flags, no code.
        .systemLibrary(name: "SystemOpenVINO", pkgConfig: "mien-openvino"),
        .systemLibrary(name: "SystemJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
        .systemLibrary(name: "SystemPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "SystemGIF", providers: [.apt(["libgif-dev"])]),

        // C shims: one header each, no policy.
        .target(name: "CMienOpenVINO", dependencies: ["SystemOpenVINO"]),
        .target(name: "CMienImage", dependencies: ["SystemJPEG", "SystemPNG", "SystemGIF"], linkerSettings: [.linkedLibrary("gif")]),

        // Domain: values and decisions. No C, no files, no clock.
        .target(name: "MienCore", swiftSettings: strict),
        .target(name: "MienPixels", dependencies: ["MienCore"], swiftSettings: strict),
        .target(name: "MienFace", dependencies: ["MienCore", "MienPixels"], swiftSettings: strict),

        // Engines: Swift owners of C things. Know no faces.
        .target(name: "MienImage", dependencies: ["CMienImage", "MienCore", "MienPixels"], swiftSettings: strict),
        .target(name: "MienInference", dependencies: ["CMienOpenVINO", "MienCore"], swiftSettings: strict),

        // Adapters: domain protocols over engines, files and keys.
        .target(name: "MienModels", dependencies: ["MienInference", "MienFace", "MienPixels", "MienCore", crypto], swiftSettings: strict),
        .target(name: "MienVault", dependencies: ["MienFace", "MienCore", crypto], swiftSettings: strict),
        // Turns published model files into what the engines run. Used once, at set-up.
        .target(name: "MienPackBuilder", dependencies: ["MienCore"], swiftSettings: strict),

        // Edge.
        .executableTarget(
            name: "mien",
            dependencies: ["MienCore", "MienPixels", "MienImage", "MienFace", "MienModels", "MienVault", "MienInference", arguments],
            swiftSettings: strict),
        .executableTarget(
            name: "mien-pack",
            dependencies: ["MienCore", "MienPixels", "MienPackBuilder", "MienModels", "MienInference", "MienFace", arguments], swiftSettings: strict),
        .target(name: "MienTesting", dependencies: ["MienCore", "MienPixels", "MienFace"], swiftSettings: strict),

        .testTarget(name: "MienCoreTests", dependencies: ["MienCore"], swiftSettings: testing),
        .testTarget(name: "MienPixelsTests", dependencies: ["MienPixels", "MienFace", "MienCore", "MienTesting"], swiftSettings: testing),
        .testTarget(
            name: "MienImageTests", dependencies: ["MienImage", "MienPixels", "MienTesting"], resources: [.copy("Vectors")], swiftSettings: testing),
        .testTarget(name: "MienInferenceTests", dependencies: ["MienInference", "MienTesting"], swiftSettings: testing),
        .testTarget(
            name: "MienFaceTests", dependencies: ["MienFace", "MienPixels", "MienCore", "MienTesting"], resources: [.copy("Vectors")],
            swiftSettings: testing),
        .testTarget(
            name: "MienModelsTests",
            dependencies: ["MienModels", "MienInference", "MienFace", "MienImage", "MienPixels", "MienCore", "MienTesting"], swiftSettings: testing),
        .testTarget(
            name: "MienVaultTests", dependencies: ["MienVault", "MienFace", "MienCore", "MienTesting"], resources: [.copy("Vectors")],
            swiftSettings: testing),
        .testTarget(name: "MienPackBuilderTests", dependencies: ["MienPackBuilder"], swiftSettings: testing),
        .testTarget(name: "MienCommandTests", dependencies: ["mien", "MienImage", "MienPixels"], swiftSettings: testing),
    ]
)
