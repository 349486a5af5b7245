import Foundation
import Testing

/// A test's own home directory and `MIEN_HOME`. The model pack and the photos in it are links, so
/// that the originals are never changed.
final class TemporaryHome {
    /// The pack and the photos that are installed on this machine.
    enum Machine {
        static let folder: URL = {
            let environment = ProcessInfo.processInfo.environment
            if let named = environment["MIEN_HOME"], !named.isEmpty {
                return URL(filePath: named, directoryHint: .isDirectory)
            }
            return URL(
                filePath: environment["HOME"] ?? NSHomeDirectory(), directoryHint: .isDirectory
            ).appending(path: ".local/share/mien")
        }()
        static let pack = folder.appending(
            path: "packs/mien-basic-1", directoryHint: .isDirectory)
        static let photos = folder.appending(path: "demo/photos", directoryHint: .isDirectory)

        static let hasPack = FileManager.default.fileExists(
            atPath: pack.appending(path: "manifest.json").path)
        static let hasPhotos = [
            "obama", "obama2", "obama3", "obama_partial_face", "obama_partial_face2", "biden",
        ].allSatisfy {
            FileManager.default.fileExists(atPath: photos.appending(path: "\($0).jpg").path)
        }
        static let isReady = hasPack && hasPhotos
    }

    /// The packs that setup creates. Live tests run on each.
    static let packs = ["mien-basic-1", "mien-default-2"]

    private let root: URL
    let mienHome: URL
    /// The pack that is linked.
    let pack: URL
    /// A folder for the files of a test.
    let files: URL
    /// The program's own temporary files.
    private let temporary: URL

    /// - Parameters:
    ///   - hasPack: whether to link a pack.
    ///   - pack: the pack. A test of one that is not installed is skipped.
    init(hasPack: Bool = true, pack name: String = "mien-basic-1") throws {
        let manager = FileManager.default
        pack = Machine.folder.appending(path: "packs/\(name)", directoryHint: .isDirectory)
        if hasPack, !manager.fileExists(atPath: pack.appending(path: "manifest.json").path) {
            try Self.skip("\(name) is not installed: run scripts/setup")
        }
        root = manager.temporaryDirectory.appending(
            path: "mien-command-\(UUID().uuidString)", directoryHint: .isDirectory)
        mienHome = root.appending(path: "share/mien", directoryHint: .isDirectory)
        files = root.appending(path: "files", directoryHint: .isDirectory)
        temporary = root.appending(path: "tmp", directoryHint: .isDirectory)
        // Independent of the umask of the user who runs the tests.
        for folder in [
            root, mienHome, files, temporary, packs, mienHome.appending(path: "demo"),
            mienHome.appending(path: "cache"),
        ] {
            try manager.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
        }
        if hasPack {
            try manager.createSymbolicLink(
                at: packs.appending(path: name), withDestinationURL: pack)
        }
        try manager.createSymbolicLink(
            at: mienHome.appending(path: "demo/photos"), withDestinationURL: Machine.photos)
        // All tests share the compiled networks.
        try manager.createSymbolicLink(
            at: mienHome.appending(path: "cache/networks"), withDestinationURL: Self.cache)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Removed when the tests end.
    private static let cache: URL = {
        let folder = cacheFolder
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        atexit { try? FileManager.default.removeItem(at: TemporaryHome.cacheFolder) }
        return folder
    }()
    private static var cacheFolder: URL {
        FileManager.default.temporaryDirectory.appending(
            path: "mien-command-cache-\(getpid())", directoryHint: .isDirectory)
    }

    var packs: URL { mienHome.appending(path: "packs", directoryHint: .isDirectory) }
    var key: URL { mienHome.appending(path: "faces.key") }

    /// The sealed records in the home.
    var records: [URL] {
        let faces = mienHome.appending(path: "faces")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: faces.path)) ?? []
        return names.filter { $0.hasSuffix(".face") }.sorted().map { faces.appending(path: $0) }
    }

    /// Skips the test. In an initializer, the compiler would call what follows unreachable.
    private static func skip(_ reason: String) throws { try Test.cancel("\(reason)") }

    /// A demo photo's path.
    func photo(_ name: String) -> String {
        mienHome.appending(path: "demo/photos/\(name).jpg").path
    }

    /// Writes a file for a test to use.
    func write(_ bytes: some Sequence<UInt8>, as name: String) throws -> String {
        let file = files.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Runs `mien` in this home. It must not leave temporary files behind.
    @discardableResult
    func mien(_ arguments: String..., at location: SourceLocation = #_sourceLocation) async throws
        -> MienProgram.Result
    {
        try await mien(arguments, at: location)
    }

    /// - Parameters:
    ///   - settings: additional environment variables. Mien's variables in the environment of the
    ///     tests are ignored.
    ///   - input: the standard input.
    @discardableResult
    func mien(
        under wrapper: [String] = [], _ arguments: [String], settings: [String: String] = [:],
        input: String = "", at location: SourceLocation = #_sourceLocation
    ) async throws -> MienProgram.Result {
        let environment = environment(temporary: temporary, settings)
        let result = try await MienProgram.run(
            under: wrapper, arguments, environment: environment, input: input, at: location)
        let left = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
        #expect(left.isEmpty, "temporary files were left behind", sourceLocation: location)
        return result
    }

    /// - Parameter temporary: the folder for temporary files.
    func environment(temporary: URL, _ settings: [String: String]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MIEN_") }
        environment["HOME"] = root.path
        environment["MIEN_HOME"] = mienHome.path
        environment["TMPDIR"] = temporary.path
        return environment.merging(settings) { $1 }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that process faces.
    static var needsFaces: Self {
        .enabled(
            if: TemporaryHome.Machine.isReady,
            "no default model pack or no demo photos on this machine: run scripts/setup")
    }

    /// For tests that load a pack but process no photo.
    static var needsPack: Self {
        .enabled(
            if: TemporaryHome.Machine.hasPack,
            "no default model pack on this machine: run scripts/setup")
    }
}
