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
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
    name: "mien",
    products: [
        .library(name: "MienCore", targets: ["MienCore"]),
        .library(name: "MienPixels", targets: ["MienPixels"]),
        .library(name: "MienImage", targets: ["MienImage"]),
        .library(name: "MienInference", targets: ["MienInference"]),
        .library(name: "MienMedia", targets: ["MienMedia"]),
        .library(name: "MienFace", targets: ["MienFace"]),
        .library(name: "MienJourney", targets: ["MienJourney"]),
        .library(name: "MienKeys", targets: ["MienKeys"]),
        .library(name: "MienOTP", targets: ["MienOTP"]),
        .library(name: "MienAttestation", targets: ["MienAttestation"]),
        .library(name: "MienModels", targets: ["MienModels"]),
        .library(name: "MienVault", targets: ["MienVault"]),
        .library(name: "MienPackBuilder", targets: ["MienPackBuilder"]),
        .library(name: "MienPassword", targets: ["MienPassword"]),
        .library(name: "MienTPM", targets: ["MienTPM"]),
        .library(name: "MienDevice", targets: ["MienDevice"]),
        .library(name: "MienAccess", targets: ["MienAccess"]),
        .library(name: "MienAPI", targets: ["MienAPI"]),
        .library(name: "MienStore", targets: ["MienStore"]),
        .library(name: "MienServer", targets: ["MienServer"]),
        .library(name: "MienClient", targets: ["MienClient"]),
        .library(name: "MienTesting", targets: ["MienTesting"]),
        .executable(name: "mien", targets: ["mien"]),
        .executable(name: "mien-pack", targets: ["mien-pack"]),
        .executable(name: "mien-liveness", targets: ["mien-liveness"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // What the machine provides: a module map, pkg-config flags, no code.
        .systemLibrary(name: "SystemOpenVINO", pkgConfig: "mien-openvino"),
        .systemLibrary(name: "SystemJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
        .systemLibrary(name: "SystemPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "SystemGIF", providers: [.apt(["libgif-dev"])]),
        .systemLibrary(name: "SystemArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "SystemTSS", pkgConfig: "tss2-esys", providers: [.apt(["libtss2-dev"])]),
        .systemLibrary(
            name: "SystemAV", pkgConfig: "libavformat",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavdevice-dev", "libswscale-dev", "libavutil-dev"])]),

        // C shims: one header each, no policy.
        .target(name: "CMienOpenVINO", dependencies: ["SystemOpenVINO"]),
        .target(name: "CMienImage", dependencies: ["SystemJPEG", "SystemPNG", "SystemGIF"], linkerSettings: [.linkedLibrary("gif")]),
        .target(name: "CMienFolders"),
        .target(name: "CMienMedia", dependencies: ["SystemAV"]),

        // Domain: values and decisions. No C, no files, no clock.
        .target(name: "MienCore", swiftSettings: strict),
        .target(name: "MienPixels", dependencies: ["MienCore"], swiftSettings: strict),
        .target(name: "MienFace", dependencies: ["MienCore", "MienPixels"], swiftSettings: strict),
        .target(name: "MienJourney", dependencies: ["MienCore"], swiftSettings: strict),

        .target(name: "MienOTP", dependencies: ["MienCore", crypto], swiftSettings: strict),
        .target(name: "MienKeys", dependencies: ["MienCore", crypto, cryptoExtras, asn1], swiftSettings: strict),
        .target(name: "MienAttestation", dependencies: ["MienCore", "MienKeys", crypto, x509, asn1], swiftSettings: strict),

        .target(name: "MienAccess", dependencies: ["MienCore", crypto], swiftSettings: strict),
        // The wire types, one definition for server and client.
        .target(name: "MienAPI", dependencies: ["MienCore", crypto], swiftSettings: strict),

        // Engines: Swift owners of C things. Know no faces.
        .target(name: "MienImage", dependencies: ["CMienImage", "MienCore", "MienPixels"], swiftSettings: strict),
        .target(name: "MienInference", dependencies: ["CMienOpenVINO", "MienCore"], swiftSettings: strict),
        .target(name: "MienMedia", dependencies: ["CMienMedia", "SystemAV", "MienPixels"], swiftSettings: strict),

        .target(name: "MienPassword", dependencies: ["SystemArgon2", "MienCore"], swiftSettings: strict),

        .target(name: "MienTPM", dependencies: ["SystemTSS", "MienCore"], swiftSettings: strict),

        // Adapters: domain protocols over engines, files and keys.
        .target(name: "MienStore", dependencies: ["MienAccess", "MienVault", "MienCore", grdb, crypto], swiftSettings: strict),
        .target(
            name: "MienModels", dependencies: ["CMienFolders", "MienInference", "MienFace", "MienPixels", "MienCore", crypto], swiftSettings: strict),
        .target(name: "MienVault", dependencies: ["MienFace", "MienCore", crypto], swiftSettings: strict),
        // Keys on a device and the check before them: a TPM or sealed files; a face or a PIN.
        .target(
            name: "MienDevice",
            dependencies: [
                // Apple's systems have an enclave and a check of their own.
                .target(name: "MienTPM", condition: .when(platforms: [.linux])), .target(name: "MienPassword", condition: .when(platforms: [.linux])),
                .target(name: "MienMedia", condition: .when(platforms: [.linux])), .target(name: "MienImage", condition: .when(platforms: [.linux])),
                "MienVault", "MienAccess", "MienFace", "MienKeys", "MienOTP", "MienCore", crypto,
            ], swiftSettings: strict),
        // Turns published model files into what the engines run. Used once, at set-up.
        .target(name: "MienPackBuilder", dependencies: ["MienCore"], swiftSettings: strict),

        // Edge.
        .target(
            name: "MienServer",
            dependencies: [
                "MienAPI", "MienAccess", "MienAttestation", "MienCore", "MienFace", "MienImage", "MienInference", "MienJourney", "MienKeys",
                "MienModels", "MienOTP", "MienPassword",
                "MienPixels",
                "MienStore", "MienVault", crypto, hummingbird, hummingbirdCore, hummingbirdTLS, httpClient, httpTypes, lifecycle, logging, nioCore,
                nioHTTP, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioSSL,
                yaml,
            ], swiftSettings: strict),
        .target(
            name: "MienClient", dependencies: ["MienAPI", "MienCore", "MienKeys", "MienOTP", crypto, httpClient, logging, nioCore, nioHTTP],
            swiftSettings: strict),
        // Puts load on a server that runs: for measurements.
        .target(name: "MienLoad", swiftSettings: strict),
        .executableTarget(
            name: "mien",
            dependencies: [
                "MienCore", "MienPixels", "MienImage", "MienFace", "MienModels", "MienVault", "MienInference", "MienJourney", "MienKeys",
                "MienClient", "MienAPI", "MienAccess", "MienMedia", "MienOTP", "MienDevice", "MienTPM",
                "MienLoad", "MienServer", arguments, hummingbird, lifecycle, logging, unixSignals,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "mien-pack",
            dependencies: ["MienCore", "MienPixels", "MienPackBuilder", "MienModels", "MienInference", "MienFace", arguments], swiftSettings: strict),
        // Plays attacks and genuine clips to the checks of liveness, and counts: for measurements.
        .executableTarget(
            name: "mien-liveness",
            dependencies: ["MienCore", "MienPixels", "MienImage", "MienMedia", "MienInference", "MienFace", "MienModels", "MienTesting"],
            swiftSettings: strict),
        .target(name: "MienTesting", dependencies: ["MienCore", "MienPixels", "MienFace"], swiftSettings: strict),

        .testTarget(name: "MienCoreTests", dependencies: ["MienCore"], swiftSettings: testing),
        .testTarget(name: "MienPixelsTests", dependencies: ["MienPixels", "MienFace", "MienCore", "MienTesting"], swiftSettings: testing),
        .testTarget(
            name: "MienImageTests", dependencies: ["MienImage", "MienPixels", "MienTesting"], resources: [.copy("Vectors")], swiftSettings: testing),
        // Makes small videos: for the tests of the library and of the commands.
        .target(name: "MienMediaTesting", dependencies: ["SystemAV", "MienPixels"], path: "Tests/MienMediaTesting", swiftSettings: testing),
        .testTarget(
            name: "MienMediaTests", dependencies: ["MienMedia", "MienMediaTesting", "SystemAV", "MienPixels", "MienTesting"],
            resources: [.copy("Vectors")], swiftSettings: testing),
        .testTarget(name: "MienInferenceTests", dependencies: ["MienInference", "MienCore", "MienTesting"], swiftSettings: testing),
        .testTarget(
            name: "MienFaceTests", dependencies: ["MienFace", "MienPixels", "MienCore", "MienTesting"], resources: [.copy("Vectors")],
            swiftSettings: testing),
        .testTarget(name: "MienOTPTests", dependencies: ["MienOTP", "MienCore", "MienTesting"], swiftSettings: testing),
        .testTarget(name: "MienKeysTests", dependencies: ["MienKeys", "MienCore", crypto, cryptoExtras], swiftSettings: testing),
        // An authority and devices that it attests: for the tests of the library and of the server.
        .target(
            name: "MienAttestationTesting", dependencies: ["MienAttestation", "MienKeys", "MienCore", crypto, x509, asn1],
            path: "Tests/MienAttestationTesting", swiftSettings: testing),
        .testTarget(
            name: "MienAttestationTests",
            dependencies: ["MienAttestation", "MienAttestationTesting", "MienKeys", "MienCore", crypto, cryptoExtras, x509, asn1, yaml],
            swiftSettings: testing),
        .testTarget(name: "MienJourneyTests", dependencies: ["MienJourney", "MienCore"], swiftSettings: testing),
        .testTarget(
            name: "MienModelsTests",
            dependencies: ["MienModels", "MienInference", "MienFace", "MienImage", "MienMedia", "MienPixels", "MienCore", "MienTesting"],
            swiftSettings: testing),
        .testTarget(
            name: "MienVaultTests", dependencies: ["MienVault", "MienFace", "MienCore", "MienTesting"], resources: [.copy("Vectors")],
            swiftSettings: testing),
        .testTarget(name: "MienAccessTests", dependencies: ["MienAccess", "MienCore", "MienTesting"], swiftSettings: testing),
        .testTarget(
            name: "MienPasswordTests", dependencies: ["MienPassword", "MienCore", "MienTesting"], resources: [.copy("Vectors")],
            swiftSettings: testing),
        // Writes until it is killed; MienStoreTests looks at what is left.
        .executableTarget(
            name: "mien-store-writer", dependencies: ["MienStore", "MienVault", "MienAccess", "MienCore"], path: "Tests/mien-store-writer",
            swiftSettings: testing),
        .testTarget(
            name: "MienStoreTests",
            dependencies: ["MienStore", "MienAccess", "MienVault", "MienCore", "MienTesting", "mien-store-writer", crypto],
            swiftSettings: testing),
        .testTarget(
            name: "MienDeviceTests",
            dependencies: [
                "MienDevice", "MienMedia", "MienMediaTesting", "MienTPM", "MienVault", "MienPassword", "MienFace", "MienModels", "MienImage",
                "MienPixels", "MienKeys", "MienOTP", "MienCore", "MienTesting",
            ],
            swiftSettings: testing),
        .testTarget(name: "MienTPMTests", dependencies: ["MienTPM", "MienCore", "MienTesting", crypto], swiftSettings: testing),
        .testTarget(name: "MienPackBuilderTests", dependencies: ["MienPackBuilder"], swiftSettings: testing),
        .testTarget(
            name: "MienServerTests",
            dependencies: [
                "MienServer", "MienClient", "MienAPI", "MienAccess", "MienJourney", "MienKeys", "MienModels", "MienOTP", "MienCore", "MienImage",
                "MienPixels",
                "MienTesting", "MienAttestationTesting", "MienDevice", "MienFace", "mien", crypto, lifecycle, logging, nioCore, nioPosix, nioSSL,
                x509,
            ], swiftSettings: testing),
        .testTarget(
            name: "MienServerAPITests",
            dependencies: ["MienServer", "MienAPI", "MienAccess", "MienStore", "MienJourney", "MienCore", "MienTesting", logging],
            swiftSettings: testing),
        .testTarget(
            name: "MienCommandTests",
            dependencies: [
                "mien", "MienMedia", "MienMediaTesting", "MienModels", "MienVault", "MienFace", "MienImage", "MienPixels", "MienClient", "MienAPI",
                "MienOTP", "MienCore", "MienTesting",
            ], swiftSettings: testing),
        .testTarget(
            name: "MienClientTests", dependencies: ["MienClient", "MienAPI", "MienCore", "MienJourney", "MienOTP", crypto, nioCore, nioPosix],
            swiftSettings: testing),
    ]
)
