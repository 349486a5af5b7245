import Foundation
import MienTesting
import Testing

/// Type-checks the code for Apple systems on other systems, against fakes of the frameworks it uses
/// (`Tests/Apple/Frameworks`), made from Apple's documentation. It cannot detect wrong declarations;
/// `scripts/test-apple` runs the code against the same fakes.
///
/// Checks every file of `Sources/Domain`, `Sources/SDK`, and `MienVault` that has code of its own for
/// Apple's systems, as part of its module and with every condition as it is there.
@Suite(.enabled(if: Toolchain.compiler != nil, "swiftc is not on PATH")) struct AppleFilesTests {
    @Test func `the files type-check with their modules, as strictly as all other code`()
        async throws
    {
        let files = try await AppleFiles()
        for module in try AppleModule.all() {
            let check = try await files.check(module)
            #expect(check.status == 0, "\(module.name):\n\(check.err)")
        }
    }

    @Test func `the files are those of five modules`() throws {
        let found = try AppleModule.all().flatMap { $0.files.map(\.lastPathComponent) }
        #expect(
            Set(found).isSuperset(of: [
                "Locked.swift", "Keychain.swift", "SystemTokenStorage.swift", "PrivateFile.swift",
                "POSIXFileSystem.swift", "EnclaveHardware.swift", "FrontCamera.swift",
                "AppAttester.swift", "EnclaveKeychain.swift", "SecureEnclaveKeyProvider.swift",
                "SystemAuthenticator.swift", "SystemBrowser.swift", "SystemCamera.swift",
                "MienCaptureView.swift",
            ]))
    }

    @Test func `the files fail to type-check if a declaration they use is missing`() async throws {
        let files = try await AppleFiles(), modules = try AppleModule.all()
        for (declaration, name) in [
            ("open func evaluatePolicy", "MienDevice"), ("open func attestKey", "MienDevice"),
            ("open func invalidate", "MienDevice"),
            ("static let or", "MienDevice"), ("func SecItemDelete", "MienDevice"),
            ("open func stopRunning", "MienCapture"), ("func SecItemAdd", "MienClient"),
            ("let kSecClassGenericPassword", "MienClient"),
            ("func os_unfair_lock_unlock", "MienCore"),
        ] {
            let module = try #require(modules.first { $0.name == name })
            let check = try await files.without(declaration).check(module)
            #expect(check.status != 0 && check.err.contains("error:"), "\(declaration)")
        }
    }

    @Test func `an unsafe without an unsafe operation is refused, as in other code`() async throws {
        let files = try await AppleFiles(), modules = try AppleModule.all()
        let module = try #require(modules.first { $0.name == "MienClient" })
        let check = try await files.check(module) {
            $0.replacing("SecItemDelete(", with: "unsafe SecItemDelete(")
        }
        #expect(check.status != 0 && check.err.contains("no unsafe operations"))
    }
}

/// The code that the portal shows for phones.
@Suite(.enabled(if: Toolchain.compiler != nil, "swiftc is not on PATH"))
struct PortalCodeForPhonesTests {
    @Test func `the code type-checks with an app's values, and without names of its own`()
        async throws
    {
        let files = try await AppleFiles()
        let check = try await files.check(code: Self.code())
        #expect(check.status == 0, "\(check.err)")
    }

    @Test func `code with a name that nothing defines is refused`() async throws {
        let files = try await AppleFiles()
        let code = try Self.code().replacing("page.url", with: "address")
        let check = try await files.check(code: code)
        #expect(check.status != 0 && check.err.contains("cannot find 'address' in scope"))
    }

    private static func code() throws -> String {
        let script = try String(
            contentsOf: Repository.file("Web/Portal/quick-start.js"), encoding: .utf8)
        let function = try #require(script.components(separatedBy: "function swift(").last)
        let code = function.components(separatedBy: "`")[1]
            .replacing("${url}", with: "https://login.example.org")
            .replacing("${app.id}", with: "shop")
            .replacing("${redirect}", with: "com.example.shop://signed-in")
        try #require(!code.contains("${"))
        return code
    }
}

/// A module with files that have code of their own for Apple's systems.
private struct AppleModule {
    let name: String
    let files, others: [URL]

    static func all() throws -> [AppleModule] {
        let layers = try ["Sources/Domain", "Sources/SDK"].flatMap { layer in
            try FileManager.default.contentsOfDirectory(
                at: Repository.file(layer), includingPropertiesForKeys: nil)
        }
        return try (layers + [Repository.file("Sources/Adapters/MienVault")])
            .filter { $0.lastPathComponent != "MienDeviceLinux" }
            .sorted { $0.path < $1.path }
            .compactMap { folder in
                let found = FileManager.default.enumerator(
                    at: folder, includingPropertiesForKeys: nil)
                let sources = (found?.allObjects as? [URL] ?? []).filter {
                    $0.pathExtension == "swift"
                }
                let files = try sources.filter {
                    try String(contentsOf: $0, encoding: .utf8).contains(
                        #/(?m)^ *\#(else)?if .*(Darwin|Security|CryptoKit|LocalAuthentication|DeviceCheck|CoreML|Services|UIKit|Glibc|os\()/#
                    )
                }
                return files.isEmpty
                    ? nil
                    : AppleModule(
                        name: folder.lastPathComponent, files: files.sorted { $0.path < $1.path },
                        others: sources.filter { !files.contains($0) })
            }
    }
}

private struct AppleFiles {
    /// The folder of the modules that the files import: beside the executable that runs this test.
    private static let build = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// The name under which SwiftPM builds the package: that of its folder.
    private static let package = String(
        Repository.root.lastPathComponent.lowercased().map {
            $0.isLetter || $0.isNumber ? $0 : "_"
        })

    private let scratch: ScratchFolder
    private let compiler: URL

    /// The folders of the modules of Apple's systems; the first one that has a module counts.
    private var subsets: [URL]

    init() async throws {
        (scratch, compiler) = (try ScratchFolder(), try #require(Toolchain.compiler))
        subsets = [scratch.url]
        for source in try Self.sources() { try await make(source) }
    }

    /// A fake of a framework: its files, `Name.swift` and `Name+Part.swift`, as one.
    private struct Source {
        let module, text: String
    }

    /// The frameworks, each after those that it imports.
    private static func sources() throws -> [Source] {
        let folder = Repository.file("Tests/Apple/Frameworks")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
        return try String(contentsOf: folder.appending(path: "order.txt"), encoding: .utf8)
            .split(separator: "\n").map { name in
                let own = files.filter {
                    $0.lastPathComponent == "\(name).swift"
                        || $0.lastPathComponent.hasPrefix("\(name)+")
                }
                let texts = try own.map { try String(contentsOf: $0, encoding: .utf8) }
                return Source(module: String(name), text: texts.joined(separator: "\n"))
            }
    }

    /// Returns the same with another name for what `declaration`, its beginning, declares.
    func without(_ declaration: String) async throws -> AppleFiles {
        var others = self
        others.subsets.insert(scratch.url.appending(path: UUID().uuidString), at: 0)
        for source in try Self.sources() {
            try await others.make(source) {
                $0.replacing(declaration, with: declaration + "Elsewhere")
            }
        }
        return others
    }

    /// Makes the module of a framework in the first folder, unless `change` changes nothing of it.
    private func make(_ source: Source, _ change: ((String) -> String)? = nil) async throws {
        let module = source.module
        let changed = change?(source.text) ?? source.text
        guard change == nil || changed != source.text else { return }
        try FileManager.default.createDirectory(
            at: subsets[0], withIntermediateDirectories: true)
        let file = subsets[0].appending(path: "\(module).swift")
        try Data(changed.utf8).write(to: file)
        let made = try await run(
            [
                "-emit-module", "-parse-as-library", "-module-name", module, "-emit-module-path",
                subsets[0].appending(path: "\(module).swiftmodule").path, "-swift-version", "6",
            ] + imports() + [file.path])
        try #require(made.status == 0, "\(made.err)")
    }

    /// Type-checks the module's files for Apple's systems, after `change`.
    func check(_ module: AppleModule, _ change: (String) -> String = { $0 }) async throws
        -> ProgramRun
    {
        let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
            .flatMap { ["-enable-upcoming-feature", $0] }
        let files = try module.files.enumerated().map { index, file in
            // What is true on this system only.
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacing(#/os\(Linux\)|canImport\(Glibc\)/#, with: "false")
            let name = "\(module.name)-\(index)-\(file.lastPathComponent)"
            return try scratch.write(change(text).utf8, to: name).path
        }
        return try await run(
            [
                "-frontend", "-typecheck", "-swift-version", "6", "-module-name", module.name,
                "-package-name", Self.package, "-parse-as-library", "-strict-memory-safety",
                "-warnings-as-errors",
            ] + features + imports() + files.flatMap { ["-primary-file", $0] }
                + module.others.map(\.path))
    }

    /// Type-checks code that imports the SDK.
    func check(code: String) async throws -> ProgramRun {
        let file = try scratch.write(code.utf8, to: "code.swift")
        return try await run(
            [
                "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors",
            ] + imports() + [file.path])
    }

    private func imports() throws -> [String] {
        (subsets + [Self.build.appending(path: "Modules")]).flatMap { ["-I", $0.path] }
            + (try Self.modulesOfC())
    }

    /// Options for the C modules of packages, which the modules of the build import.
    private static func modulesOfC() throws -> [String] {
        let checkouts = build.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "checkouts")
        let made = try FileManager.default.contentsOfDirectory(
            at: build, includingPropertiesForKeys: nil
        ).map { $0.appending(path: "module.modulemap") }
        let written =
            ((try? FileManager.default.contentsOfDirectory(
                at: checkouts, includingPropertiesForKeys: nil)) ?? [])
            .map { $0.appending(path: "Sources") }
            .flatMap { sources in
                ((try? FileManager.default.contentsOfDirectory(
                    at: sources, includingPropertiesForKeys: nil)) ?? [])
                    .map { $0.appending(path: "include/module.modulemap") }
            }
        return (made + written).filter { FileManager.default.fileExists(atPath: $0.path) }
            .flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }

    private func run(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.run(
            compiler, arguments, environment: ProcessInfo.processInfo.environment)
    }
}
