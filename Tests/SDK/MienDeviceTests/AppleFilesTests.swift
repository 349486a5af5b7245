import Foundation
import MienKeys
import MienTesting
import Testing

/// Type-checks the files for Apple systems on other systems, against hand-written declarations of
/// the API they use (`Tests/Support/AppleSubset`), made from Apple's documentation. It cannot
/// detect wrong declarations or errors at run time.
@Suite(.enabled(if: AppleFiles.compiler != nil, "swiftc is not on PATH")) struct AppleFilesTests {
    @Test func `the files type-check with their protocols, as strictly as all other code`() throws {
        let files = try AppleFiles(), (status, said) = try files.check(files.apple)
        #expect(status == 0, "\(said)")
        #expect(files.apple.count >= 3)
    }

    @Test(arguments: [
        "open func canEvaluatePolicy", "open func evaluatePolicy", "open func invalidate",
        "static let biometryCurrentSet", "func SecItemDelete", "open func attestKey",
        "open var localizedCancelTitle", "static let devicePasscode",
    ])
    func `the files fail to type-check if a declaration they use is missing`(
        declaration: String
    ) throws {
        let files = try AppleFiles(without: declaration)
        let (status, said) = try files.check(files.apple)
        #expect(status != 0 && said.contains("error:"))
    }
}

private struct AppleFiles {
    static let compiler: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(
        separator: ":"
    ).map { "\($0)/swiftc" }
        .first(where: FileManager.default.isExecutableFile(atPath:)).map {
            URL(fileURLWithPath: $0)
        }

    private static let root = Repository.root
    /// The folder of the modules that the files import: beside the executable that runs this test.
    private static let modules = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(
            path: "Modules")

    let scratch: ScratchFolder
    let apple: [String]

    init(without declaration: String? = nil) throws {
        scratch = try ScratchFolder()

        apple = try Self.sources("Sources/SDK/MienDevice/Apple")
        for module in ["DeviceCheck", "LocalAuthentication", "Security"] {
            let text = try String(
                contentsOf: Self.root.appending(path: "Tests/Support/AppleSubset/\(module).swift"),
                encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { line in declaration.map { !line.contains($0) } ?? true }
            let file = try scratch.write(lines.joined(separator: "\n").utf8, to: "\(module).swift")
            let (status, said) = try run([
                "-emit-module", "-parse-as-library", "-module-name", module, "-emit-module-path",
                scratch("\(module).swiftmodule").path, file.path,
            ])
            try #require(status == 0, "\(said)")
        }
    }

    func check(_ files: [String]) throws -> (status: Int32, said: String) {
        let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
            .flatMap { ["-enable-upcoming-feature", $0] }
        return try run(
            [
                "-typecheck", "-swift-version", "6", "-module-name", "MienDevice",
                "-parse-as-library", "-strict-memory-safety", "-warnings-as-errors",
            ]
                + ["-I", scratch.url.path, "-I", Self.modules.path] + features + files)
    }

    private static func sources(_ folder: String) throws -> [String] {
        let directory = root.appending(path: folder)
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
            $0.hasSuffix(".swift")
        }.sorted().map {
            "\(directory.path)/\($0)"
        }
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, said: String) {
        let process = Process(), said = scratch("said")
        try Data().write(to: said)
        process.executableURL = Self.compiler
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: said)
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOf: said, encoding: .utf8))
    }
}
