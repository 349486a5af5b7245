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

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "mien") }

/// A program, and the products whose modules it imports.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "mien-examples",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "mien", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        example("CustomNetworks", [product("MienFace")]),
        example("CheckJourney", [product("MienJourney")]),
        example("OneTimeCode", [product("MienOTP")]),
        example("FaceRegistrationJourney", [product("MienClient")]),
        example("FaceLoginJourney", [product("MienClient")]),
    ]
)

// These products are for Linux.
#if os(Linux)
package.targets += [
    example("VerifyTwoPhotos", [product("MienModels")]),
    example("FindFaces", [product("MienModels")]),
    example("SearchGallery", [product("MienModels")]),
    example("FaceUnlock", [product("MienDevice"), product("MienModels")]),
    example(
        "WebSignIn",
        [
            product("MienClient"), .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "Hummingbird", package: "hummingbird"),
        ]),
    example(
        "EmbeddedServer",
        [
            product("MienClient"), product("MienServer"),
            .product(name: "Logging", package: "swift-log"),
        ]),
    example(
        "BiometricLogin",
        [
            product("MienClient"), product("MienDevice"), product("MienModels"),
            product("MienServer"), .product(name: "Logging", package: "swift-log"),
        ]),
    example(
        "OneTimeCodeLogin",
        [
            product("MienClient"), product("MienDevice"), product("MienModels"),
            product("MienOTP"), product("MienServer"),
            .product(name: "Logging", package: "swift-log"),
        ]),
]
#endif
