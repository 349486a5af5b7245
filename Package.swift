// swift-tools-version:6.2
import PackageDescription

/// For every Swift target of ours: see what is unsafe, see what is imported, let nothing through as
/// a warning.
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

/// A folder of `Sources`, and of `Tests`, that holds targets. Each may depend on those above it;
/// Tools and SDK are beside each other. `Support` is for tests only.
enum Group: String {
    case domain = "Domain", engines = "Engines", adapters = "Adapters", server = "Server"
    case sdk = "SDK", tools = "Tools", support = "Support"

    var path: String { (self == .support ? "Tests/" : "Sources/") + rawValue }
}

/// `scripts/test` makes a debug build, which is quick and incremental, in which only C shims and what
/// computes are optimized. A package with such flags cannot be a dependency.
let isTestBuild = Context.environment["MIEN_QUICK_BUILD"] != nil

/// Optimizes a module as a whole in a debug build.
let optimized: [SwiftSetting] = [
    .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"])
]

/// Modules that compute on pictures, vectors, texts, and histories.
let computing: Set<String> = [
    "MienCore", "MienFace", "MienDocument", "MienMedia", "MienModels", "MienVault", "MienTools",
    "MienSimulation", "MienTesting",
]

func settings(of name: String, in group: Group) -> [SwiftSetting] {
    let common = group == .support ? testing : strict
    return common + (isTestBuild && computing.contains(name) ? optimized : [])
}

/// The package of each product of others that we use.
let packages = [
    "ArgumentParser": "swift-argument-parser", "AsyncHTTPClient": "async-http-client",
    "Configuration": "swift-configuration", "CoreMetrics": "swift-metrics",
    "Crypto": "swift-crypto", "CryptoExtras": "swift-crypto", "GRDB": "GRDB.swift",
    "HTTPTypes": "swift-http-types", "Hummingbird": "hummingbird", "HummingbirdCore": "hummingbird",
    "Logging": "swift-log", "Mustache": "swift-mustache", "NIOCore": "swift-nio",
    "NIOHTTP1": "swift-nio", "NIOHTTPTypes": "swift-nio-extras",
    "NIOHTTPTypesHTTP1": "swift-nio-extras", "NIOPosix": "swift-nio", "NIOSSL": "swift-nio-ssl",
    "ServiceLifecycle": "swift-service-lifecycle", "Subprocess": "swift-subprocess",
    "SwiftASN1": "swift-asn1", "SystemPackage": "swift-system",
    "UnixSignals": "swift-service-lifecycle", "X509": "swift-certificates", "Yams": "Yams",
]

func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { name in
        packages[name].map { .product(name: name, package: $0) } ?? .byName(name: name)
    }
}

/// - Parameter embeds: Folders that have an `Embedded.txt`, a list of files that the target gets as
///   strings.
func library(
    _ name: String, in group: Group, _ names: [String] = [], embeds: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies(names), path: "\(group.path)/\(name)",
        exclude: embeds.map { "\($0)/Embedded.txt" }, swiftSettings: settings(of: name, in: group),
        plugins: embeds.isEmpty ? [] : ["EmbedFiles"])
}

func program(_ name: String, in group: Group, _ names: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies(names), path: "\(group.path)/\(name)",
        swiftSettings: settings(of: name, in: group))
}

/// A C shim: headers, no policy.
func shim(
    _ name: String, _ names: [String] = [], linking: [String] = [], exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies(names), path: "Sources/System/\(name)",
        exclude: exclude, cSettings: isTestBuild ? [.unsafeFlags(["-O2"])] : [],
        linkerSettings: linking.map { .linkedLibrary($0) })
}

/// A library of the machine, which `scripts/setup` installs: a module map, pkg-config flags, no code.
func system(_ name: String, _ pkgConfig: String? = nil) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig)
}

/// - Parameters:
///   - names: What brings every module that the tests import.
///   - vectors: Folders of files that the tests read.
func tests(
    _ name: String, in group: Group, _ names: [String], vectors: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(names), path: "Tests/\(group.rawValue)/\(name)",
        resources: vectors.map { .copy($0) },
        swiftSettings: testing)
}

#if os(Linux)
let deviceOnLinux = ["MienDeviceLinux", "MienHardware", "MienMedia"]
#else
let deviceOnLinux: [String] = []
#endif

/// These targets build on every platform: values and decisions, and what an app links.
let package = Package(
    name: "mien",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        // The face pipeline, for networks of your own.
        .library(name: "MienFace", targets: ["MienFace", "MienCore"]),
        // Journeys: parse, check, simulate, run.
        .library(name: "MienJourney", targets: ["MienJourney", "MienAPI", "MienCore"]),
        // One-time codes.
        .library(name: "MienOTP", targets: ["MienKeys", "MienCore"]),
        // An app's side of a server.
        .library(
            name: "MienClient",
            targets: ["MienClient", "MienAPI", "MienIdentity", "MienKeys", "MienCore"]),
        // Screens in which a person photographs a document and shows their face.
        .library(name: "MienCapture", targets: ["MienCapture", "MienClient", "MienAPI"]),
        // A device's keys, and the check of its owner before they sign.
        .library(
            name: "MienDevice",
            targets: ["MienDevice", "MienVault", "MienKeys", "MienFace", "MienCore"]
                + deviceOnLinux),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // MARK: Domain and SDK: values and decisions. No C; in the domain, no files and no clock.

        // Scores, times, texts; on Linux also threads, and the actors that own one.
        library("MienCore", in: .domain),
        // Pictures, the face pipeline, and what its scores mean.
        library("MienFace", in: .domain, ["MienCore"]),
        // Reading and checking what identity documents say.
        library("MienDocument", in: .domain, ["MienCore"]),
        // Identity verification: what agrees, what is required, what follows.
        library("MienIdentity", in: .domain, ["MienCore", "MienDocument"]),
        // Keys of devices, and one-time codes.
        library("MienKeys", in: .domain, ["MienCore", "Crypto", "CryptoExtras", "SwiftASN1"]),
        library(
            "MienAttestation", in: .domain,
            ["MienCore", "MienKeys", "Crypto", "SwiftASN1", "X509"]),
        // The wire types, one definition for server and client, and who may do what.
        library("MienAPI", in: .domain, ["MienCore", "MienIdentity", "Crypto"]),
        library("MienJourney", in: .domain, ["MienCore", "MienAPI"]),
        library(
            "MienClient", in: .sdk,
            [
                "MienCore", "MienIdentity", "MienKeys", "MienAPI", "AsyncHTTPClient", "Crypto",
                "Logging", "NIOCore", "NIOHTTP1", "SystemPackage",
            ]),
        library("MienCapture", in: .sdk, ["MienCore", "MienAPI", "MienIdentity", "MienClient"]),
        // Sealed records, master keys, durable files, and enrolled faces in them.
        library("MienVault", in: .adapters, ["MienCore", "MienFace", "Crypto", "SystemPackage"]),
        // A device's faces and one-time codes, and the keys and checks of Apple's systems.
        library(
            "MienDevice", in: .sdk,
            [
                "MienCore", "MienFace", "MienKeys", "MienAPI", "MienVault", "Crypto",
                "CryptoExtras",
            ]),
    ]
)

// The server, its tools, and the engines of both use libraries and API of Linux. Packages that only
// they need are named here, so that an app does not inherit their minimum versions.
#if os(Linux)
package.products += [
    // Recognition with the model packs: files and videos in, scores out.
    .library(
        name: "MienModels",
        targets: ["MienModels", "MienMedia", "MienVault", "MienDocument", "MienFace", "MienCore"]),
    // The server, to embed it in a program.
    .library(
        name: "MienServer",
        targets: [
            "MienServer", "MienModels", "MienAPI", "MienAttestation", "MienJourney", "MienKeys",
            "MienIdentity", "MienStore", "MienVault", "MienCore",
        ]),
    // What the programs share. For Benchmarks only.
    .library(
        name: "MienTools",
        targets: [
            "MienTools", "MienTesting", "MienDocument", "MienStore", "MienVault", "MienIdentity",
            "MienServer",
        ]),
    .executable(name: "mien", targets: ["mien"]),
]

package.dependencies += [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
]

// The Secret Service of a desktop is reached through a program.
for target in package.targets where target.name == "MienClient" {
    target.dependencies += dependencies(["Subprocess"])
}

package.targets += [
    // MARK: System

    system("SystemOpenVINO", "mien-openvino"),
    system("SystemPostgres", "libpq"),
    system("SystemAV", "libavformat"),
    // zlib, Argon2, libxcrypt, libqrencode, and tpm2-tss, each with a module: compilers find their headers.
    system("SystemLibraries"),
    shim("CMienOpenVINO", ["SystemOpenVINO"]),
    shim("CMienMedia", ["SystemAV"], linking: ["jpeg", "png", "gif"]),
    shim("CMienSystem"),
    // Barcodes, printed text, and the weights of a network of ours.
    shim(
        "CMienReading", linking: ["ZXing", "tesseract"],
        exclude: ["LineNetwork/line-network.bin", "LineNetwork/line-network.xml"]),

    // MARK: Engines, adapters, server, tools

    // Keys in a TPM or in sealed files, unlocked by a face or a PIN.
    library(
        "MienDeviceLinux", in: .sdk,
        [
            "CMienSystem", "MienCore", "MienFace", "MienKeys", "MienAPI", "MienDevice",
            "MienMedia", "MienHardware", "MienVault", "Crypto",
        ]),
    // Codecs of pictures; videos and cameras.
    library(
        "MienMedia", in: .engines,
        ["CMienMedia", "SystemAV", "MienCore", "MienFace", "SystemPackage"]),
    // TPM, PKCS #11 tokens, and hashes of passwords.
    library(
        "MienHardware", in: .engines,
        ["CMienSystem", "SystemLibraries", "MienCore", "CryptoExtras"]),
    // Model packs on OpenVINO: faces, and what identity documents in pictures say.
    library(
        "MienModels", in: .adapters,
        [
            "CMienOpenVINO", "CMienReading", "CMienSystem", "SystemLibraries", "MienCore",
            "MienFace", "MienDocument", "Crypto", "SystemPackage",
        ]),
    // The server's records, on SQLite and PostgreSQL, and their backups.
    library(
        "MienStore", in: .adapters,
        [
            "SystemPostgres", "MienCore", "MienIdentity", "MienAPI", "MienHardware",
            "MienVault", "Crypto", "GRDB",
        ]),
    // The server: a folder for each feature. scripts/lint-folders.list says which may use which.
    library(
        "MienServer", in: .server,
        [
            "SystemLibraries", "MienCore", "MienFace", "MienDocument", "MienIdentity",
            "MienKeys", "MienAttestation", "MienAPI", "MienJourney", "MienMedia",
            "MienHardware", "MienModels", "MienVault", "MienStore", "AsyncHTTPClient",
            "Configuration", "CoreMetrics", "Crypto", "HTTPTypes", "Hummingbird",
            "HummingbirdCore", "Logging", "Mustache", "NIOCore", "NIOHTTP1", "NIOHTTPTypes",
            "NIOHTTPTypesHTTP1", "NIOPosix", "NIOSSL", "ServiceLifecycle", "Yams",
        ], embeds: ["Assembly", "Operations", "Portal", "Web"]),
    // What programs share: options and words, pack building, the desktop service, specimens.
    library(
        "MienTools", in: .tools,
        [
            "CMienReading", "CMienSystem", "MienCore", "MienFace", "MienDocument", "MienDevice",
            "MienDeviceLinux", "MienMedia", "MienModels", "MienVault", "ArgumentParser",
        ], embeds: ["Specimens", "PackBuilder"]),
    program("mien", in: .tools, ["MienClient", "MienServer", "MienTools", "UnixSignals"]),
    program("embed-files", in: .tools),
    .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["embed-files"]),

    // MARK: Tests

    // For all tests: attackers, generators, small videos.
    library("MienTesting", in: .support, ["SystemAV", "MienFace"]),
    // A disk that fails and crashes, a private PostgreSQL, and devices that an authority attests.
    library(
        "MienServerTesting", in: .support,
        ["SystemPostgres", "MienAttestation", "MienVault", "MienTesting"]),
    // Servers and all they use on one thread, from a seed; histories of what many clients saw.
    library("MienSimulation", in: .support, ["MienServer", "GRDB"]),
    // Writes until it is killed; reads hostile text; answers pam_mien with frames made from a photo.
    program(
        "mien-test-program", in: .support,
        ["MienAttestation", "MienStore", "MienTools", "MienTesting"]),
    tests("MienCoreTests", in: .domain, ["MienTesting"]),
    tests(
        "MienFaceTests", in: .domain,
        ["MienTesting"], vectors: ["Face/Vectors"]),
    tests("MienIdentityTests", in: .domain, ["MienDocument", "MienIdentity", "MienTesting"]),
    tests("MienKeysTests", in: .domain, ["MienServerTesting", "Yams"]),
    tests("MienAPITests", in: .domain, ["MienAPI", "MienTesting"]),
    tests("MienJourneyTests", in: .domain, ["MienJourney", "MienTesting"]),
    tests(
        "MienClientTests", in: .sdk, ["MienJourney", "MienClient", "MienTesting", "NIOPosix"]),
    tests("MienDeviceTests", in: .sdk, ["MienDeviceLinux", "MienTesting"]),
    tests(
        "MienMediaTests", in: .engines, ["MienMedia", "MienTesting"],
        vectors: ["Image/Vectors", "Media/Videos"]),
    tests(
        "MienHardwareTests", in: .engines, ["MienHardware", "MienTesting", "Crypto"],
        vectors: ["Password/Vectors"]),
    tests(
        "MienModelsTests", in: .adapters,
        ["MienIdentity", "MienTools", "MienTesting"], vectors: ["Reading/Vectors"]),
    tests(
        "MienVaultTests", in: .adapters,
        ["MienServerTesting"], vectors: ["Sealing/Vectors"]),
    tests(
        "MienStoreTests", in: .adapters,
        ["mien-test-program", "MienStore", "MienServerTesting"]),
    tests(
        "MienServerTests", in: .server,
        ["MienClient", "MienTools", "MienServerTesting", "MienSimulation"]),
    tests(
        "MienServerPartTests", in: .server,
        ["mien-test-program", "MienTools", "MienServerTesting", "MienSimulation"]),
    tests("MienCommandTests", in: .tools, ["mien-test-program", "mien", "MienServerTesting"]),
]

package.cxxLanguageStandard = .cxx17  // for zxing-cpp's headers
#endif
