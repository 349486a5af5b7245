// swift-tools-version:6.2
import PackageDescription

// This file is longer than 600 lines because it is the only place that lists every target and what it
// depends on, and SwiftPM reads a manifest from one file.

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
/// Tools and SDK are beside each other.
enum Group: String {
    case system = "System", domain = "Domain", engines = "Engines", adapters = "Adapters"
    case server = "Server", sdk = "SDK", tools = "Tools"
}

/// Compiles without optimization, and several files at once.
let quickly: [SwiftSetting] = [
    .unsafeFlags([
        "-Onone", "-no-whole-module-optimization", "-enable-batch-mode",
    ])
]

/// Modules that compute on pictures, vectors, texts, and histories. `scripts/test` builds all others
/// ``quickly``, in half the time; a package with such flags cannot be a dependency.
let computing: Set<String> = [
    "MienCore", "MienPixels", "MienFace", "MienCalibration", "MienDocument", "MienImage",
    "MienInference", "MienMedia", "MienModels", "MienReading", "MienSealing", "MienVault",
    "MienServerGalleries", "MienHistories", "MienPackBuilder", "MienSimulation", "MienSpecimens",
    "MienTesting",
]

func settings(of name: String, _ settings: [SwiftSetting] = strict) -> [SwiftSetting] {
    let isQuick = Context.environment["MIEN_TEST_BUILD"] != nil && !computing.contains(name)
    return isQuick ? settings + quickly : settings
}

/// - Parameter embeds: Whether the folder has an `Embedded.txt`, a list of files that the target
///   gets as strings.
func library(
    _ name: String, in group: Group, _ dependencies: [Target.Dependency] = [], embeds: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(group.rawValue)/\(name)",
        exclude: embeds ? ["Embedded.txt"] : [], swiftSettings: settings(of: name),
        plugins: embeds ? ["EmbedFiles"] : [])
}

func program(_ name: String, in group: Group, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/\(group.rawValue)/\(name)",
        swiftSettings: settings(of: name))
}

/// A C shim: one header, no policy.
func shim(
    _ name: String, _ dependencies: [Target.Dependency] = [], linking libraries: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/System/\(name)",
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A library of the machine: a module map, pkg-config flags, no code.
func system(_ name: String, _ pkgConfig: String? = nil, _ packages: [String] = []) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: packages.isEmpty ? nil : [.apt(packages)])
}

/// - Parameters:
///   - vectors: Whether the folder has `Vectors`.
///   - computes: Whether the tests themselves compute much, such as pictures. The others are built
///     ``quickly``.
func tests(
    _ name: String, in group: Group, _ dependencies: [Target.Dependency], vectors: Bool = false,
    computes: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(group.rawValue)/\(name)",
        resources: vectors ? [.copy("Vectors")] : nil,
        swiftSettings: computes ? testing : testing + quickly)
}

/// Code that several test targets use.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/Support/\(name)",
        swiftSettings: settings(of: name, testing))
}

/// A program that tests run.
func supportProgram(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Support/\(name)",
        swiftSettings: settings(of: name, testing))
}

/// A program of `Examples`, built here as well, so that `make test` need not build every dependency
/// again. Like a program outside of this package, it sees only what is public.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "Example\(name)", dependencies: dependencies, path: "Examples/Sources/\(name)",
        packageAccess: false, swiftSettings: settings(of: name))
}

/// A target of `Benchmarks`, built here as well, for the same reason. No product contains it.
func benchmark(
    _ name: String, _ dependencies: [Target.Dependency], isProgram: Bool = false
) -> Target {
    let path = "Benchmarks/Sources/\(name)"
    return isProgram
        ? .executableTarget(
            name: name, dependencies: dependencies, path: path, packageAccess: false,
            swiftSettings: settings(of: name))
        : .target(
            name: name, dependencies: dependencies, path: path, packageAccess: false,
            swiftSettings: settings(of: name))
}

func benchmarkTests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Benchmarks/Tests/\(name)",
        packageAccess: false, swiftSettings: testing + quickly)
}

/// Names of targets that exist on Linux only.
func onLinux(_ targets: [String]) -> [String] {
    #if os(Linux)
    targets
    #else
    []
    #endif
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(
    name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

/// These targets build on every platform: values and decisions, and what an app links.
let package = Package(
    name: "mien",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        // The face pipeline, for networks of your own.
        .library(name: "MienFace", targets: ["MienFace", "MienPixels", "MienCore"]),
        // Journeys: parse, check, simulate, run.
        .library(name: "MienJourney", targets: ["MienJourney", "MienAPI", "MienCore"]),
        // One-time codes.
        .library(name: "MienOTP", targets: ["MienOTP", "MienCore"]),
        // An app's side of a server.
        .library(
            name: "MienClient",
            targets: ["MienClient", "MienAPI", "MienIdentity", "MienKeys", "MienOTP", "MienCore"]),
        // A device's keys, and the check of its owner before they sign.
        .library(
            name: "MienDevice",
            targets: ["MienDevice", "MienKeys", "MienFace", "MienPixels", "MienCore"]
                + onLinux([
                    "MienDeviceLinux", "MienTPM", "MienPassword", "MienMedia", "MienImage",
                    "MienVault", "MienSealing", "MienOTP",
                ])),
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
        // MARK: Domain: values and decisions. No C, no files, no clock.

        library("MienCore", in: .domain),
        library("MienPixels", in: .domain),
        library("MienFace", in: .domain, ["MienCore", "MienPixels"]),
        // Gives scores their meaning and measures them. Recognition needs only the resulting table.
        library("MienCalibration", in: .domain, ["MienFace", "MienPixels", "MienCore"]),
        library("MienJourney", in: .domain, ["MienAPI", "MienCore"]),
        library("MienOTP", in: .domain, ["MienCore", crypto]),
        library("MienKeys", in: .domain, ["MienCore", crypto, cryptoExtras, asn1]),
        library("MienAttestation", in: .domain, ["MienCore", "MienKeys", crypto, x509, asn1]),
        library("MienAccess", in: .domain, ["MienIdentity", "MienCore", crypto]),
        // Reading and checking what identity documents say.
        library("MienDocument", in: .domain, ["MienCore"]),
        // Identity verification: what agrees, what is required, what follows.
        library("MienIdentity", in: .domain, ["MienCore"]),
        // The wire types, one definition for server and client.
        library("MienAPI", in: .domain, ["MienIdentity", "MienCore", crypto]),

        // MARK: SDK

        library(
            "MienClient", in: .sdk,
            [
                "MienAPI", "MienIdentity", "MienCore", "MienKeys", "MienOTP", crypto, httpClient,
                logging, nioCore,
                nioHTTP, systemPackage,
            ]),
        // A face capture on the device, and the keys and checks of Apple's systems.
        library("MienDevice", in: .sdk, ["MienFace", "MienPixels", "MienKeys", "MienCore"]),

        // MARK: Examples

        example("FaceRegistrationJourney", ["MienAPI", "MienClient", "MienCore"]),
        example("FaceLoginJourney", ["MienClient", "MienCore"]),
        example("CustomNetworks", ["MienFace", "MienPixels"]),
        example("CheckJourney", ["MienCore", "MienJourney"]),
        example("OneTimeCode", ["MienCore", "MienOTP"]),
    ]
)

// The server, its tools, and the engines of both use libraries and API of Linux. Packages that only
// they need are named here, so that an app does not inherit their minimum versions.
#if os(Linux)
package.products += [
    // Recognition with the model packs: files and videos in, scores out.
    .library(
        name: "MienModels",
        targets: [
            "MienModels", "MienInference", "MienImage", "MienMedia", "MienVault", "MienSealing",
            "MienFace", "MienPixels", "MienCore",
        ]),
    // The server, to embed it in a program.
    .library(
        name: "MienServer",
        targets: [
            "MienServer", "MienServerCore", "MienModels", "MienAPI", "MienAccess",
            "MienAttestation",
            "MienJourney",
            "MienKeys", "MienOTP", "MienIdentity", "MienStore", "MienSealing", "MienCore",
        ]),
    // What the programs share. For Benchmarks only.
    .library(
        name: "MienTools",
        targets: [
            "MienCommandSupport", "MienTesting", "MienCalibration", "MienReading", "MienSpecimens",
            "MienDocument", "MienStore", "MienSealing", "MienAccess", "MienIdentity",
            "MienServerGalleries",
        ]),
    .executable(name: "mien", targets: ["mien"]),
    .executable(name: "mien-pack", targets: ["mien-pack"]),
    // For tests only: they load it into `mien serve`.
    .library(name: "MienTestClock", type: .dynamic, targets: ["MienTestClock"]),
    // For tests only: a PKCS #11 module that fails on purpose.
    .library(name: "MienTestToken", type: .dynamic, targets: ["MienTestToken"]),
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
    target.dependencies.append(subprocess)
}

package.targets += [
    // MARK: System

    system("SystemOpenVINO", "mien-openvino"),
    system("SystemJPEG", "libjpeg", ["libjpeg62-turbo-dev"]),
    system("SystemPNG", "libpng", ["libpng-dev"]),
    system("SystemGIF", nil, ["libgif-dev"]),
    system("SystemZlib", nil, ["zlib1g-dev"]),
    system("SystemArgon2", "libargon2", ["libargon2-dev"]),
    system("SystemTSS", "tss2-esys", ["libtss2-dev"]),
    system("SystemPostgres", "libpq", ["libpq-dev"]),
    system(
        "SystemAV", "libavformat",
        [
            "libavformat-dev", "libavcodec-dev", "libavdevice-dev", "libswscale-dev",
            "libavutil-dev",
        ]),
    system("SystemQREncode", "libqrencode", ["libqrencode-dev"]),
    shim("CMienOpenVINO", ["SystemOpenVINO"]),
    shim("CMienImage", ["SystemJPEG", "SystemPNG", "SystemGIF"], linking: ["gif"]),
    shim("CMienFolders"),
    shim("CMienProcess"),
    shim("CMienSocket"),
    shim("CMienPKCS11"),
    shim("CMienMedia", ["SystemAV"]),
    system("SystemZXing", "zxing", ["libzxing-dev"]),
    shim("CMienBarcode", ["SystemZXing"]),
    shim("CMienBarcodeWriter", ["SystemZXing"]),
    system("SystemTesseract", "tesseract", ["libtesseract-dev", "tesseract-ocr-eng"]),
    shim("CMienText", ["SystemTesseract"]),
    // The weights of a network of ours.
    .target(
        name: "CMienLineNetwork", path: "Sources/System/CMienLineNetwork",
        exclude: ["line-network.bin", "line-network.xml"]),

    // MARK: Engines: Swift owners of C libraries, which know no faces.

    // Threads, and the actors that own one.
    library("MienThreads", in: .engines),
    library("MienImage", in: .engines, ["CMienImage", "MienPixels", systemPackage]),
    library("MienInference", in: .engines, ["CMienOpenVINO", "MienThreads", "MienCore"]),
    library(
        "MienMedia", in: .engines,
        ["CMienMedia", "SystemAV", "MienThreads", "MienPixels", "MienCore", systemPackage]),
    library("MienPassword", in: .engines, ["SystemArgon2", "MienCore"]),
    library("MienTPM", in: .engines, ["SystemTSS", "MienThreads", "MienCore"]),
    // Keys in tokens of PKCS #11.
    library("MienPKCS11", in: .engines, ["CMienPKCS11", "MienCore"]),

    // MARK: Adapters: domain protocols over engines, files, and keys.

    // Sealed records, master keys, and durable files. Knows no faces.
    library("MienSealing", in: .adapters, ["MienCore", crypto, systemPackage]),
    library("MienVault", in: .adapters, ["MienSealing", "MienFace", "MienCore", crypto]),
    library(
        "MienStore", in: .adapters,
        ["MienAccess", "MienIdentity", "MienSealing", "MienThreads", "MienCore", grdb]),
    // The store's driver for PostgreSQL.
    library(
        "MienStorePostgres", in: .adapters,
        ["SystemPostgres", "MienStore", "MienThreads", "MienCore"]),
    library(
        "MienBackup", in: .adapters,
        ["MienAccess", "MienPassword", "MienSealing", "MienStore", "MienCore", crypto]),
    library(
        "MienModels", in: .adapters,
        [
            "CMienFolders", "SystemZlib", "MienInference", "MienFace", "MienPixels", "MienCore",
            crypto, systemPackage,
        ]),

    // Pictures of identity documents in, what they say out.
    library(
        "MienReading", in: .adapters,
        [
            "CMienBarcode", "CMienLineNetwork", "CMienText", "MienDocument", "MienInference",
            "MienPixels", "MienCore",
        ]),

    // MARK: Server: a small core, one target per feature, and the assembly. A feature never
    // depends on another, except that journeys perform the work of all.

    // HTTP, the settings, and the work queues.
    library(
        "MienServerCore", in: .server,
        [
            "SystemQREncode", "MienAPI", "MienAccess", "MienIdentity", "MienCore", "MienInference",
            "MienPassword",
            crypto,
            hummingbird, hummingbirdCore, httpTypes, lifecycle, logging, metrics, configuration,
            nioCore, nioHTTP, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioSSL, yaml,
        ]),
    // Mail and webhooks.
    library(
        "MienServerMail", in: .server,
        [
            "MienServerCore", "MienCore", "MienJourney", "MienStore", crypto, httpClient, lifecycle,
            logging, nioCore, nioHTTP, nioPosix, nioSSL,
        ]),
    // Who may do what: apps, locks, sign-ins, tokens, and changes of authenticators.
    library(
        "MienServerAccess", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienAPI", "MienAccess", "MienCore",
            "MienKeys", "MienStore", crypto, httpTypes, hummingbird,
        ]),
    // Users, sign-up, passwords, recovery, and the links in mails.
    library(
        "MienServerAccounts", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienAPI", "MienAccess",
            "MienCore", "MienJourney", "MienPassword", "MienStore", httpTypes, hummingbird,
        ]),
    // Faces of apps in memory, in parts that servers divide among themselves.
    library(
        "MienServerGalleries", in: .server,
        [
            "MienServerCore", "MienAPI", "MienCore", "MienFace", "MienStore", "MienThreads",
            httpTypes, hummingbird, lifecycle, logging, nioCore,
        ]),
    // Captures and their judgment.
    library(
        "MienServerFaces", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienServerGalleries",
            "MienAPI", "MienAccess",
            "MienIdentity", "MienCore", "MienFace", "MienImage", "MienInference", "MienJourney",
            "MienModels", "MienPixels", "MienStore", httpTypes, hummingbird, lifecycle, logging,
            nioCore,
        ]),
    // Identities: attempts to verify them, and reviews.
    library(
        "MienServerIdentity", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienAPI", "MienAccess",
            "MienCore", "MienDocument", "MienFace", "MienIdentity", "MienImage", "MienKeys",
            "MienPixels", "MienReading", "MienStore", crypto, httpTypes, hummingbird, lifecycle,
            logging,
        ]),
    // The check of documents for identities: reads pictures, and compares portraits.
    library(
        "MienServerDocuments", in: .server,
        [
            "MienServerCore", "MienServerAccess", "MienServerIdentity", "MienCore",
            "MienDocument", "MienFace", "MienIdentity", "MienInference", "MienPixels",
            "MienReading",
        ]),
    // Device keys and passkeys.
    library(
        "MienServerDevices", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienAPI", "MienAccess",
            "MienAttestation", "MienCore", "MienKeys", "MienStore", crypto, httpTypes,
            hummingbird, logging,
        ]),
    // One-time codes.
    library(
        "MienServerOTP", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienAPI", "MienAccess",
            "MienCore", "MienKeys", "MienOTP", "MienStore", crypto, hummingbird,
        ]),
    // Sign-in of administrators: methods, sessions, setup codes, invitations.
    library(
        "MienServerAdministrators", in: .server,
        [
            "MienServerCore", "MienServerAccess", "MienServerAccounts", "MienServerDevices",
            "MienAPI", "MienAccess", "MienAttestation", "MienCore", "MienKeys", "MienOTP",
            "MienStore", httpTypes, hummingbird,
        ]),
    // Customers, their members, and their administrators.
    library(
        "MienServerOrganizations", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienAPI", "MienAccess",
            "MienCore", "MienStore", httpTypes, hummingbird,
        ]),
    // The token endpoint and the sign-in page.
    library(
        "MienServerOAuth", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienAPI", "MienAccess",
            "MienCore", "MienStore", crypto, httpTypes, hummingbird, logging,
        ]),
    // Runs of journeys, and the effects that they request.
    library(
        "MienServerJourneys", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienServerAccounts",
            "MienServerFaces", "MienServerIdentity", "MienServerDevices", "MienServerOTP",
            "MienAPI", "MienAccess", "MienCore", "MienFace", "MienIdentity", "MienJourney",
            "MienKeys", "MienStore", crypto, hummingbird,
        ]),
    // The pages for people: capture, sign-in, account.
    library(
        "MienWeb", in: .server,
        [
            "MienServerCore", "MienServerAccess", "MienServerFaces",
            "MienServerIdentity", "MienServerDevices", "MienServerJourneys", "MienServerOAuth",
            "MienAPI", "MienAccess", "MienCore", "MienJourney", "MienStore", crypto, httpTypes,
            hummingbird, logging,
            mustache, nioCore,
        ], embeds: true),
    // The pages for administrators.
    library(
        "MienPortal", in: .server,
        ["MienServerCore", "MienCore", crypto, httpTypes, hummingbird, nioCore], embeds: true),
    // Health, metrics, the audit log, licenses, and the sweeper.
    library(
        "MienServerOperations", in: .server,
        [
            "MienServerCore", "MienServerAccess", "MienServerFaces", "MienServerGalleries",
            "MienAPI", "MienAccess",
            "MienCore", "MienKeys", "MienSealing", "MienStore", httpClient, httpTypes,
            hummingbird, lifecycle, logging, nioCore, nioHTTP, nioSSL,
        ], embeds: true),
    // The assembly.
    library(
        "MienServer", in: .server,
        [
            "MienServerCore", "MienServerMail", "MienServerAccess", "MienServerAccounts",
            "MienServerFaces", "MienServerGalleries", "MienServerIdentity", "MienServerDocuments",
            "MienServerDevices",
            "MienServerOTP", "MienServerOAuth", "MienServerJourneys", "MienServerOperations",
            "MienServerAdministrators", "MienServerOrganizations", "MienWeb", "MienPortal",
            "MienAPI", "MienAccess",
            "MienIdentity", "MienCore",
            "MienFace", "MienImage", "MienInference", "MienJourney", "MienPKCS11", "MienPixels",
            "MienStore", "MienStorePostgres", "MienSealing", "MienThreads", hummingbird, lifecycle,
            logging,
        ], embeds: true),

    // MARK: SDK

    // Device keys and owner checks on Linux: keys in a TPM or in sealed files, unlocked by a face
    // or a PIN.
    library(
        "MienDeviceLinux", in: .sdk,
        [
            "MienDevice", "MienTPM", "MienPassword", "MienMedia", "MienImage", "MienVault",
            "MienThreads", "MienSealing", "MienAccess", "MienFace", "MienKeys", "MienOTP",
            "MienCore", "CMienProcess", crypto,
        ]),

    // MARK: Tools

    library("MienTesting", in: .tools, ["MienThreads", "MienCore", "MienPixels", "MienFace"]),
    // Judges what many clients saw at once: histories, and what they must look like.
    library("MienHistories", in: .tools),
    // Draws identity documents of invented people, and photos of them, to measure reading with.
    library(
        "MienSpecimens", in: .tools,
        ["CMienBarcodeWriter", "MienDocument", "MienImage", "MienPixels", "MienCore"], embeds: true),
    // Converts published model files for the engines. Used once, at setup.
    library(
        "MienPackBuilder", in: .tools,
        ["MienModels", "MienInference", "MienFace", "MienPixels", "MienCore"]),
    // What the programs share: options, words for people and scripts, exit codes, and the
    // evaluation of collections of photos.
    library(
        "MienCommandSupport", in: .tools,
        [
            "MienCore", "MienPixels", "MienImage", "MienInference", "MienMedia", "MienFace",
            "MienCalibration", "MienModels", "MienSealing", "MienVault", arguments,
        ]),
    // The service that judges faces for pam_mien (Sources/PAM, which scripts/build-pam builds).
    library(
        "MienDesktop", in: .tools,
        [
            "MienDeviceLinux", "MienDevice", "MienThreads", "MienVault", "MienFace", "MienCore",
            "CMienSocket",
        ]),
    program(
        "mien", in: .tools,
        [
            "MienCommandSupport", "MienDesktop", "MienPackBuilder", "MienCore", "MienPixels",
            "MienImage",
            "MienInference", "MienReading", "MienDocument", "MienSpecimens",
            "MienFace", "MienCalibration", "MienModels", "MienMedia", "MienVault", "MienSealing",
            "MienBackup", "MienStore", "MienStorePostgres", "MienJourney", "MienKeys", "MienTPM",
            "MienOTP", "MienAccess", "MienAPI",
            "MienIdentity", "MienClient", "MienDevice", "MienDeviceLinux", "MienServer",
            "MienServerCore",
            "CMienProcess", arguments, httpClient, lifecycle, logging, nioSSL, unixSignals,
        ]),
    program(
        "mien-pack", in: .tools,
        [
            "MienCore", "MienPixels", "MienPackBuilder", "MienModels", "MienInference",
            "MienFace", arguments,
        ]),
    // Writes texts of the repository's files into Swift, at build time.
    program("embed-files", in: .tools, []),
    .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["embed-files"]),

    // MARK: Tests

    // Sets the wall clock of a program that a test starts.
    .target(name: "MienTestClock", path: "Tests/Support/MienTestClock"),
    // Fails as a PKCS #11 token may.
    .target(name: "MienTestToken", path: "Tests/Support/MienTestToken"),
    // Makes small videos.
    support("MienMediaTesting", ["SystemAV", "MienPixels"]),
    // A disk that fails and crashes.
    support("MienSealingTesting", ["MienSealing"]),
    // An authority, and devices that it attests.
    support(
        "MienAttestationTesting",
        ["MienAttestation", "MienKeys", "MienCore", crypto, x509, asn1]),
    // Servers, their store, clocks, and network on one thread, with everything that goes wrong, from a
    // seed.
    support(
        "MienSimulation",
        [
            "MienHistories", "MienServerOperations", "MienServerFaces", "MienServerMail",
            "MienServerAccess", "MienServerCore", "MienStore", "MienSealing",
            "MienJourney", "MienAccess", "MienCore", logging,
        ]),
    // Writes until it is killed; MienStoreTests reads what is left.
    supportProgram(
        "mien-store-writer", ["MienStore", "MienSealing", "MienAccess", "MienCore"]),
    // A private PostgreSQL cluster for the tests of one process.
    support("MienStorePostgresTesting", ["SystemPostgres", "MienTesting", "MienThreads"]),
    // Answers pam_mien with frames made from a photo; `mien desktop serve` takes those of a camera only.
    supportProgram(
        "mien-desktop-frames",
        [
            "MienDesktop", "MienDeviceLinux", "MienDevice", "MienModels", "MienVault",
            "MienSealing",
            "MienFace", "MienImage", "MienPixels", "MienCore", "MienTesting",
        ]),
    // Reads hostile text, for MienServerAPITests and scripts/measure-text to count
    // instructions.
    supportProgram("mien-text-cost", ["MienAPI", "MienAccess", "MienAttestation", "MienCore"]),

    tests("MienCoreTests", in: .domain, ["MienCore", "MienTesting"]),
    tests(
        "MienPixelsTests", in: .domain, ["MienPixels", "MienFace", "MienCore", "MienTesting"],
        computes: true),
    tests(
        "MienFaceTests", in: .domain, ["MienFace", "MienPixels", "MienCore", "MienTesting"],
        vectors: true, computes: true),
    tests(
        "MienCalibrationTests", in: .domain,
        ["MienCalibration", "MienFace", "MienPixels", "MienCore", "MienTesting"],
        computes: true),
    tests(
        "MienJourneyTests", in: .domain, ["MienJourney", "MienAPI", "MienCore", "MienTesting"]),
    tests("MienOTPTests", in: .domain, ["MienOTP", "MienCore", "MienTesting"]),
    tests(
        "MienKeysTests", in: .domain,
        ["MienKeys", "MienCore", "MienTesting", crypto, cryptoExtras]),
    tests(
        "MienAttestationTests", in: .domain,
        [
            "MienAttestation", "MienAttestationTesting", "MienKeys", "MienCore", "MienTesting",
            crypto, cryptoExtras, x509, asn1, yaml,
        ]),
    tests("MienAccessTests", in: .domain, ["MienAccess", "MienCore", "MienTesting"]),
    tests("MienDocumentTests", in: .domain, ["MienDocument", "MienCore", "MienTesting"]),
    tests("MienIdentityTests", in: .domain, ["MienIdentity", "MienCore", "MienTesting"]),
    tests("MienThreadsTests", in: .engines, ["MienThreads"]),
    tests(
        "MienImageTests", in: .engines, ["MienImage", "MienPixels", "MienCore"],
        vectors: true, computes: true),
    tests(
        "MienInferenceTests", in: .engines, ["MienInference", "MienCore", "MienTesting"],
        computes: true),
    tests(
        "MienMediaTests", in: .engines,
        ["MienMedia", "MienMediaTesting", "SystemAV", "MienPixels", "MienTesting"],
        vectors: true, computes: true),
    tests(
        "MienPasswordTests", in: .engines, ["MienPassword", "MienCore", "MienTesting"],
        vectors: true, computes: true),
    tests("MienTPMTests", in: .engines, ["MienTPM", "MienCore", "MienTesting", crypto]),
    tests("MienPKCS11Tests", in: .engines, ["MienPKCS11", "MienCore", "MienTesting"]),
    tests(
        "MienModelsTests", in: .adapters,
        [
            "MienModels", "MienInference", "MienFace", "MienImage", "MienPixels", "MienCore",
            "MienTesting",
        ], computes: true),
    tests(
        "MienReadingTests", in: .adapters,
        [
            "MienReading", "MienSpecimens", "MienDocument", "MienInference", "MienImage",
            "MienPixels", "MienCore", "MienTesting",
        ], vectors: true, computes: true),
    tests(
        "MienSealingTests", in: .adapters,
        ["MienSealing", "MienSealingTesting", "MienTesting", crypto],
        vectors: true, computes: true),
    tests(
        "MienVaultTests", in: .adapters,
        [
            "MienVault", "MienSealing", "MienSealingTesting", "MienFace", "MienCore",
        ], computes: true),
    tests(
        "MienStoreTests", in: .adapters,
        [
            "MienStore", "MienStorePostgres", "MienStorePostgresTesting", "MienAccess",
            "MienIdentity", "MienSealing", "MienThreads", "MienCore", "MienTesting",
            "mien-store-writer", crypto,
        ]),
    tests(
        "MienBackupTests", in: .adapters,
        ["MienBackup", "MienStore", "MienAccess", "MienSealing", "MienCore", "MienTesting", crypto]),
    // Only starts the program `mien`, so it need not wait until that is compiled.
    tests(
        "MienServerTests", in: .server,
        [
            "MienServer", "MienServerCore", "MienServerMail", "MienServerAccess",
            "MienServerFaces", "MienServerGalleries", "MienServerIdentity", "MienServerDevices",
            "MienServerJourneys",
            "MienServerOperations", "MienClient", "MienAPI", "MienAccess", "MienIdentity",
            "MienJourney",
            "MienKeys", "MienModels", "MienOTP", "MienStore", "MienSealing",
            "MienCore", "MienImage", "MienPixels", "MienTesting", "MienAttestationTesting",
            "MienDevice", "MienDeviceLinux", "MienFace", "MienVault", "MienDocument",
            "MienSpecimens", "MienStorePostgresTesting", "MienHistories", crypto,
            lifecycle, logging,
            nioCore,
            nioPosix,
            nioSSL, x509,
        ]),
    tests(
        "MienSimulationTests", in: .server, ["MienSimulation", "MienHistories", "MienTesting"]),
    tests(
        "MienServerGalleriesTests", in: .server,
        [
            "MienServerGalleries", "MienServerCore", "MienStore", "MienStorePostgres",
            "MienStorePostgresTesting", "MienSealing", "MienAccess", "MienFace", "MienCore",
            "MienTesting", lifecycle, logging,
        ]),
    tests(
        "MienServerOperationsTests", in: .server,
        [
            "MienServerOperations", "MienServerFaces", "MienServerGalleries", "MienServerMail",
            "MienServerAccess", "MienServerCore", "MienAccess", "MienStore", "MienSealing",
            "MienSealingTesting", "MienCore", "MienFace", "MienJourney", "MienTesting", httpClient,
            httpTypes, hummingbird, lifecycle, logging, nioCore, nioHTTP, nioSSL,
        ]),
    tests(
        "MienServerIdentityTests", in: .server,
        [
            "MienServerIdentity", "MienServerCore", "MienServerMail", "MienIdentity", "MienAccess",
            "MienStore", "MienSealing", "MienCore", "MienImage", "MienPixels", "MienTesting",
            lifecycle, logging,
        ]),
    tests(
        "MienServerDocumentsTests", in: .server,
        [
            "MienServerDocuments", "MienServerIdentity", "MienReading", "MienSpecimens",
            "MienDocument", "MienIdentity", "MienPixels", "MienCore", "MienTesting",
        ]),
    tests(
        "MienWebTests", in: .server,
        [
            "MienWeb", "MienServerIdentity", "MienAPI", "MienAccess", "MienCore", "MienFace",
            "MienJourney", "MienTesting",
        ]),
    tests(
        "MienServerAPITests", in: .server,
        [
            "mien-text-cost", "MienServer", "MienServerAccess", "MienServerCore",
            "MienServerDevices", "MienServerFaces", "MienServerJourneys", "MienServerOperations",
            "MienAPI",
            "MienAccess", "MienIdentity", "MienStore",
            "MienJourney", "MienCore", "MienTesting", logging, metrics,
        ]),
    tests(
        "MienClientTests", in: .sdk,
        [
            "MienClient", "MienAPI", "MienCore", "MienJourney", "MienKeys", "MienOTP",
            "MienTesting", crypto, nioCore, nioPosix,
        ]),
    tests(
        "MienDeviceTests", in: .sdk,
        ["MienDevice", "MienClient", "MienKeys", "MienCore", "MienTesting"]),
    tests(
        "MienDeviceLinuxTests", in: .sdk,
        [
            "MienDeviceLinux", "MienDevice", "MienMedia", "MienMediaTesting", "MienTPM",
            "MienVault", "MienSealing", "MienPassword", "MienFace", "MienImage", "MienPixels",
            "MienKeys", "MienOTP", "MienCore", "MienTesting",
        ], computes: true),
    tests(
        "MienHistoriesTests", in: .tools,
        ["MienHistories", "MienAccess", "MienCore", "MienTesting"]),
    tests(
        "MienPackBuilderTests", in: .tools,
        [
            "MienPackBuilder", "MienModels", "MienInference", "MienFace", "MienImage",
            "MienPixels", "MienTesting", "mien-pack",
        ]),
    tests(
        "MienCommandTests", in: .tools,
        [
            "mien", "MienCommandSupport", "MienDesktop", "mien-desktop-frames", "MienSpecimens",
            "MienMedia", "MienMediaTesting", "MienModels",
            "MienVault", "MienSealing", "MienFace", "MienImage", "MienPixels", "MienClient",
            "MienAPI", "MienIdentity", "MienCore", "MienStore", "MienStorePostgresTesting",
            "MienTesting",
        ]),

    // MARK: Examples

    example("VerifyTwoPhotos", ["MienCore", "MienFace", "MienImage", "MienModels"]),
    example("FindFaces", ["MienFace", "MienImage", "MienModels", "MienPixels"]),
    example("SearchGallery", ["MienCore", "MienFace", "MienImage", "MienModels"]),
    example(
        "FaceUnlock",
        [
            "MienCore", "MienDevice", "MienDeviceLinux", "MienFace", "MienKeys", "MienModels",
            "MienVault",
        ]),
    example("WebSignIn", ["MienClient", "MienCore", httpTypes, hummingbird]),
    example(
        "EmbeddedServer",
        ["MienClient", "MienCore", "MienModels", "MienServer", "MienServerCore", logging]),
    example(
        "BiometricLogin",
        [
            "MienAPI", "MienClient", "MienCore", "MienDevice", "MienDeviceLinux", "MienFace",
            "MienKeys", "MienModels", "MienServer", "MienServerCore", "MienVault", logging,
        ]),
    example(
        "OneTimeCodeLogin",
        [
            "MienAPI", "MienClient", "MienCore", "MienDevice", "MienDeviceLinux", "MienModels",
            "MienOTP", "MienServer", "MienServerCore", logging,
        ]),

    // MARK: Benchmarks

    // Puts load on a running server.
    benchmark("MienLoad", [httpClient, nioCore, nioHTTP]),
    benchmark(
        "mien-bench",
        [
            "MienLoad", "MienCommandSupport", "MienAPI", "MienCalibration", "MienCore", "MienFace",
            "MienDocument", "MienImage", "MienInference", "MienKeys", "MienMedia", "MienModels",
            "MienPixels", "MienReading", "MienSpecimens", "MienTesting", "MienStore", "MienSealing",
            "MienAccess", "MienIdentity", "MienServerGalleries", arguments, hummingbird, logging,
        ], isProgram: true),
    benchmarkTests("MienLoadTests", ["MienLoad"]),
    benchmarkTests("MienBenchTests", ["mien-bench", "MienLoad", "MienModels", "MienTesting"]),
]

// zxing-cpp's headers need it.
package.cxxLanguageStandard = .cxx17
#endif
