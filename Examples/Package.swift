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

let package = Package(
    name: "mien-examples",
    dependencies: [.package(name: "mien", path: "..")],
    targets: [
        .executableTarget(
            name: "VerifyTwoPhotos",
            dependencies: ["MienCore", "MienFace", "MienImage", "MienModels"].map(product),
            swiftSettings: strict),
        .executableTarget(
            name: "FindFaces",
            dependencies: ["MienFace", "MienImage", "MienModels", "MienPixels"].map(product),
            swiftSettings: strict),
        .executableTarget(
            name: "SearchGallery",
            dependencies: ["MienCore", "MienFace", "MienImage", "MienModels"].map(product),
            swiftSettings: strict),
        .executableTarget(
            name: "FaceRegistrationJourney",
            dependencies: ["MienAPI", "MienClient", "MienCore"].map(product), swiftSettings: strict),
        .executableTarget(
            name: "FaceLoginJourney", dependencies: ["MienClient", "MienCore"].map(product),
            swiftSettings: strict),
        .executableTarget(
            name: "FaceUnlock",
            dependencies: ["MienCore", "MienDevice", "MienFace", "MienKeys", "MienModels"].map(
                product), swiftSettings: strict),
        .executableTarget(
            name: "CustomNetworks", dependencies: ["MienFace", "MienPixels"].map(product),
            swiftSettings: strict),
    ]
)
