import Foundation
import Testing

/// A home directory and a `MIEN_HOME` of a test's own. The model pack and the photos in it are links; the real ones are never written to.
final class TemporaryHome {
    /// What this machine has.
    enum Machine {
        static let folder: URL = {
            let environment = ProcessInfo.processInfo.environment
            if let named = environment["MIEN_HOME"], !named.isEmpty { return URL(filePath: named, directoryHint: .isDirectory) }
            return URL(filePath: environment["HOME"] ?? NSHomeDirectory(), directoryHint: .isDirectory).appending(path: ".local/share/mien")
        }()
        static let pack = folder.appending(path: "packs/mien-default-1", directoryHint: .isDirectory)
        static let photos = folder.appending(path: "demo/photos", directoryHint: .isDirectory)

        static let hasPack = FileManager.default.fileExists(atPath: pack.appending(path: "manifest.json").path)
        static let hasPhotos = ["obama", "obama2", "obama3", "obama_partial_face", "obama_partial_face2", "biden"].allSatisfy {
            FileManager.default.fileExists(atPath: photos.appending(path: "\($0).jpg").path)
        }
        static let isReady = hasPack && hasPhotos
    }

    private let root: URL
    let mienHome: URL
    /// For what a test makes.
    let files: URL
    /// The program's own temporary files.
    private let temporary: URL

    /// - Parameter hasPack: links the default pack.
    init(hasPack: Bool = true) throws {
        let manager = FileManager.default
        root = manager.temporaryDirectory.appending(path: "mien-command-\(UUID().uuidString)", directoryHint: .isDirectory)
        mienHome = root.appending(path: "share/mien", directoryHint: .isDirectory)
        files = root.appending(path: "files", directoryHint: .isDirectory)
        temporary = root.appending(path: "tmp", directoryHint: .isDirectory)
        for folder in [files, temporary, packs, mienHome.appending(path: "demo")] {
            try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        if hasPack { try manager.createSymbolicLink(at: packs.appending(path: "mien-default-1"), withDestinationURL: Machine.pack) }
        try manager.createSymbolicLink(at: mienHome.appending(path: "demo/photos"), withDestinationURL: Machine.photos)
        // Compiled networks are the same for all tests.
        try manager.createDirectory(at: mienHome.appending(path: "cache"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(at: mienHome.appending(path: "cache/networks"), withDestinationURL: Self.cache)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Gone when the tests end.
    private static let cache: URL = {
        let place = cachePlace
        try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: TemporaryHome.cachePlace) }
        return place
    }()
    private static var cachePlace: URL {
        FileManager.default.temporaryDirectory.appending(path: "mien-command-cache-\(getpid())", directoryHint: .isDirectory)
    }

    var packs: URL { mienHome.appending(path: "packs", directoryHint: .isDirectory) }
    var key: URL { mienHome.appending(path: "faces.key") }

    /// The sealed records there are.
    var records: [URL] {
        let faces = mienHome.appending(path: "faces")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: faces.path)) ?? []
        return names.filter { $0.hasSuffix(".face") }.sorted().map { faces.appending(path: $0) }
    }

    /// A demo photo's path.
    func photo(_ name: String) -> String { mienHome.appending(path: "demo/photos/\(name).jpg").path }

    /// Writes a file for a test to use.
    func write(_ bytes: some Sequence<UInt8>, as name: String) throws -> String {
        let file = files.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Runs `mien` here, in this home and none other. It may leave nothing among the temporary files.
    @discardableResult
    func mien(_ arguments: String..., at location: SourceLocation = #_sourceLocation) async throws -> MienProgram.Result {
        try await mien(arguments, at: location)
    }

    @discardableResult
    func mien(_ arguments: [String], at location: SourceLocation = #_sourceLocation) async throws -> MienProgram.Result {
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = root.path
        environment["MIEN_HOME"] = mienHome.path
        environment["TMPDIR"] = temporary.path
        let result = try await MienProgram.run(arguments, environment: environment, at: location)
        let left = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
        #expect(left.isEmpty, "left behind", sourceLocation: location)
        return result
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that look at faces.
    static var needsFaces: Self {
        .enabled(if: TemporaryHome.Machine.isReady, "no default model pack or no demo photos on this machine: run scripts/setup")
    }

    /// For tests that load a pack but look at no photo.
    static var needsPack: Self { .enabled(if: TemporaryHome.Machine.hasPack, "no default model pack on this machine: run scripts/setup") }
}
