import Foundation
import MienCore
import MienTesting
import Testing

/// Evaluates `Package.swift` as a Mac does, where no `#if os(Linux)` is true. SwiftPM refuses a
/// manifest in which a target depends on a package that is declared on Linux only.
@Suite(.enabled(if: Toolchain.swift != nil, "swift is not on PATH")) struct AppleManifestTests {
    @Test func `the manifest loads, and declares every module that its sources import`()
        async throws
    {
        let manifest = try await Self.manifest()
        let targets = try #require(manifest["targets"]?.arrayValue)
        #expect(targets.contains { $0["name"]?.stringValue == "MienClient" })
        #expect(!targets.contains { $0["name"]?.stringValue == "MienServer" })
        for target in targets {
            let name = try #require(target["name"]?.stringValue)
            let path = try #require(target["path"]?.stringValue)
            let declared = Set(
                (target["dependencies"]?.arrayValue ?? []).compactMap { dependency in
                    (dependency["byName"] ?? dependency["product"] ?? dependency["target"])?
                        .arrayValue?.first?.stringValue
                })
            let unknown = try Self.imports(in: path).subtracting(declared)
                .subtracting(Self.modulesOfApple).subtracting([name])
            #expect(unknown.isEmpty, "\(name) imports \(unknown.sorted()) without declaring them")
        }
    }

    @Test func `the manifest is refused if a package is declared on Linux only`() async throws {
        let text = try Self.text()
        let line = try #require(
            text.split(separator: "\n").first { $0.contains("apple/swift-system") })
        let run = try await Self.dump(text.replacing("\(line)\n", with: ""))
        #expect(run.status != 0 && run.err.contains("unknown package 'swift-system'"))
    }

    /// The modules of Apple's systems that the package imports.
    private static let modulesOfApple: Set = [
        "AVFoundation", "AuthenticationServices", "Combine", "CoreGraphics", "CoreImage",
        "CoreML", "CoreMedia", "CoreVideo", "CryptoKit", "Darwin", "DeviceCheck", "Dispatch",
        "Foundation",
        "ImageIO",
        "LocalAuthentication", "Security", "SwiftUI", "UIKit",
    ]

    private static func text() throws -> String {
        try String(contentsOf: Repository.root.appending(path: "Package.swift"), encoding: .utf8)
            .replacing("#if os(Linux)", with: "#if false")
    }

    private static func manifest() async throws -> JSONValue {
        let run = try await dump(text())
        try #require(run.status == 0, "\(run.err)")
        return try JSONDecoder().decode(JSONValue.self, from: Data(run.out.utf8))
    }

    private static func dump(_ manifest: String) async throws -> ProgramRun {
        let scratch = try ScratchFolder(), swift = try #require(Toolchain.swift)
        _ = try scratch.write(manifest.utf8, to: "Package.swift")
        return try await ProgramRun.run(
            swift, ["package", "--package-path", scratch.url.path, "dump-package"],
            environment: ProcessInfo.processInfo.environment)
    }

    /// The modules that the files of a folder import on Apple's systems.
    private static func imports(in folder: String) throws -> Set<String> {
        let folder = Repository.root.appending(path: folder)
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            // Whether each condition around a line holds on Apple's systems.
            var conditions: [Bool] = []
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("#if") || line.hasPrefix("#elseif") {
                    if line.hasPrefix("#elseif") { conditions.removeLast() }
                    let isOther = ["Linux", "Glibc", "Musl", "Android"].contains(
                        where: line.contains)
                    conditions.append(!isOther)
                } else if line.hasPrefix("#else") {
                    conditions[conditions.count - 1] = true
                } else if line.hasPrefix("#endif") {
                    conditions.removeLast()
                } else if conditions.allSatisfy(\.self),
                    let match = line.wholeMatch(of: #/(?:\w+ )?import (\w+)\s*/#)
                {
                    found.insert(String(match.1))
                }
            }
        }
        return found
    }
}

/// Programs of the Swift toolchain on `PATH`.
enum Toolchain {
    static let swift = program("swift")
    static let compiler = program("swiftc")

    private static func program(_ name: String) -> URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile(atPath:))
            .map { URL(fileURLWithPath: $0) }
    }
}
