public import Foundation
public import MienCore

/// Where Mien keeps its things on this machine: `$MIEN_HOME`, else `~/.local/share/mien`.
public struct MienHome: Sendable {
    public let folder: URL

    public init(_ folder: URL) { self.folder = folder }

    public init(environment: [String: String]) {
        if let named = environment["MIEN_HOME"], !named.isEmpty {
            folder = URL(filePath: named, directoryHint: .isDirectory)
        } else {
            let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
            folder = URL(filePath: home, directoryHint: .isDirectory).appending(
                path: ".local/share/mien", directoryHint: .isDirectory)
        }
    }

    /// One folder per model pack, named after it.
    public var packs: URL { folder.appending(path: "packs", directoryHint: .isDirectory) }
    /// What can be made again; may be deleted at any time.
    public var cache: URL { folder.appending(path: "cache", directoryHint: .isDirectory) }
    /// Networks compiled for this CPU; may be deleted at any time.
    public var compiledNetworks: URL {
        folder.appending(path: "cache/networks", directoryHint: .isDirectory)
    }
    /// Descriptors of photos that were evaluated, sealed; may be deleted at any time.
    public var evaluationCache: URL {
        folder.appending(path: "cache/evaluation", directoryHint: .isDirectory)
    }
    /// The enrolled people.
    public var faces: URL { folder.appending(path: "faces", directoryHint: .isDirectory) }
    /// Photos the demo uses; not part of the product.
    public var demoPhotos: URL {
        folder.appending(path: "demo/photos", directoryHint: .isDirectory)
    }
}

/// The packs installed on this machine.
public struct PackLibrary: Sendable {
    /// The pack that set-up installs and every command takes unless told otherwise.
    public static let defaultID = try! PackID("mien-default-1")

    public let folder: URL

    public init(folder: URL) { self.folder = folder }

    /// Every folder that looks like a pack, by name, with its manifest or what is wrong with it.
    /// Files are not checked: see ``pack(_:)``.
    public func list() -> [(name: String, manifest: Result<PackManifest, PackError>)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { name in
            (
                name,
                Result { () throws(PackError) in
                    try ModelPack.manifest(in: folder.appending(path: name))
                }
            )
        }
    }

    /// The pack `id`, its files checked.
    ///
    /// - Throws: ``PackError`` `.notInstalled` with what to do; what ``ModelPack/init(folder:)``
    ///   throws.
    public func pack(_ id: PackID = defaultID) throws(PackError) -> ModelPack {
        let place = folder.appending(path: id.text, directoryHint: .isDirectory)
        guard FileManager.default.fileExists(atPath: place.path) else {
            let there = list().map(\.name)
            let advice =
                id == Self.defaultID
                ? "run scripts/setup" : "run mien models install with its folder or address"
            let others =
                there.isEmpty
                ? "no pack is installed" : "installed are: \(there.joined(separator: ", "))"
            throw PackError(
                .notInstalled,
                "model pack \(id.text) is not installed in \(folder.path) (\(others)); \(advice)")
        }
        let pack = try ModelPack(folder: place)
        guard pack.id == id else {
            throw PackError(
                .badManifest,
                "\(place.path) holds the pack \(pack.id.text), not \(id.text); rename the folder or install it again"
            )
        }
        return pack
    }

    /// Copies a pack into the library: checked first, then put into place in one step.
    ///
    /// Installing a pack that is there already with the same contents does nothing; when its files
    /// were damaged, it is put right.
    /// - Throws: ``PackError``; `.conflict` when another pack has that name and `replacing` is
    ///   false.
    @discardableResult
    public func install(from source: URL, replacing: Bool = false) throws(PackError) -> ModelPack {
        let offered = try ModelPack(folder: source)
        let place = folder.appending(path: offered.id.text, directoryHint: .isDirectory)
        if FileManager.default.fileExists(atPath: place.path) {
            let isSame = (try? ModelPack.manifest(in: place)) == offered.manifest
            if isSame, let present = try? ModelPack(folder: place) { return present }
            guard replacing || isSame else {
                throw PackError(
                    .conflict,
                    "\(place.path) holds another pack named \(offered.id.text); --replace puts this one in its place"
                )
            }
        }
        do {
            try StagedFolder.put(at: place) { staging in
                for name in offered.manifest.files.map(\.name) + [PackManifest.fileName] {
                    try FileManager.default.copyItem(
                        at: source.appending(path: name), to: staging.appending(path: name))
                }
                _ = try ModelPack(folder: staging)
            }
        } catch let error as PackError {
            throw error
        } catch {
            throw PackError(
                .unavailable,
                "\(offered.id.text) could not be copied into \(folder.path): \(SystemWords.reason(error))"
            )
        }
        return try ModelPack(folder: place)
    }
}
