public import Foundation
public import MienCore

/// The folder for Mien's data on this machine: `$MIEN_HOME`, or else `~/.local/share/mien`.
public struct MienHome: Sendable {
    public let folder: URL
    /// The model packs, with one folder per pack, named after it: `$MIEN_PACKS`, or else `packs` in
    /// the folder. Every program reads the variable, so that the commands find the packs that a
    /// server with the same environment uses.
    public let packs: URL

    public init(_ folder: URL) {
        self.folder = folder
        packs = folder.appending(path: "packs", directoryHint: .isDirectory)
    }

    public init(environment: [String: String]) {
        let folder: URL
        if let named = environment["MIEN_HOME"], !named.isEmpty {
            folder = URL(filePath: named, directoryHint: .isDirectory)
        } else {
            let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
            folder = URL(filePath: home, directoryHint: .isDirectory).appending(
                path: ".local/share/mien", directoryHint: .isDirectory)
        }
        self.folder = folder
        packs =
            environment["MIEN_PACKS"].flatMap { named in
                named.isEmpty ? nil : URL(filePath: named, directoryHint: .isDirectory)
            } ?? MienHome(folder).packs
    }

    /// The definitions of packs that setup can create, with one folder per pack.
    public var definitions: URL {
        folder.appending(path: "definitions", directoryHint: .isDirectory)
    }
    /// Data that can be recreated; may be deleted at any time.
    public var cache: URL { folder.appending(path: "cache", directoryHint: .isDirectory) }
    /// Networks compiled for this CPU; may be deleted at any time.
    public var compiledNetworks: URL {
        folder.appending(path: "cache/networks", directoryHint: .isDirectory)
    }
    /// Sealed descriptors of evaluated photos; may be deleted at any time.
    public var evaluationCache: URL {
        folder.appending(path: "cache/evaluation", directoryHint: .isDirectory)
    }
    /// The enrolled people.
    public var faces: URL { folder.appending(path: "faces", directoryHint: .isDirectory) }
    /// Photos used by the demo; not part of the product.
    public var demoPhotos: URL {
        folder.appending(path: "demo/photos", directoryHint: .isDirectory)
    }
}

/// The packs installed on this machine.
public struct PackLibrary: Sendable {
    /// The pack that setup can always create; its accuracy is lower.
    public static let basicID = try! PackID("mien-basic-1")
    /// The pack that setup creates when it can get the network for it.
    public static let betterID = try! PackID("mien-default-2")
    /// The packs that are used where none is named: the first of them that is installed.
    public static let preferred = [betterID, basicID]

    public let folder: URL

    public init(folder: URL) { self.folder = folder }

    /// Returns every folder that looks like a pack, sorted by name, with its manifest or the
    /// problem with it. Does not verify files; see ``pack(_:)``.
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

    /// The pack that is used where none is named: the first of ``preferred`` that is installed, or
    /// the last of them if none is.
    public var defaultID: PackID {
        Self.preferred.first { installed($0) != nil } ?? Self.basicID
    }

    /// The difference between both packs, and how to get the better one, in words. Measured in
    /// `docs/measurements/calibration.md`.
    public static let basicPackAdvice =
        "at 1 false match in 10,000, \(basicID.text) recognizes 87 of 100 people's photos and \(betterID.text) 98; to install that, run scripts/setup with internet access, or mien models build --files with a folder of its network"

    /// How to add the networks against prints and screens to a pack that has none, in words.
    public static let presentationAdvice =
        "to add the networks for that, run scripts/setup with internet access, or mien models build --files with a folder that also has the files of scripts/presentation-files.txt"

    /// Returns the pack for a server whose settings name none.
    ///
    /// - Parameter address: where other machines reach the server; `nil` if they cannot.
    /// - Throws: ``PackError`` `.notInstalled` if they can, and only the basic pack is installed.
    public func packID(reachableAt address: String?) throws(PackError) -> PackID {
        let id = defaultID
        guard let address, id == Self.basicID, installed(id) != nil else { return id }
        throw PackError(
            .notInstalled,
            "\(address) can be reached from other machines, and the more accurate model pack is not installed: \(Self.basicPackAdvice). "
                + "To accept the lower accuracy, set face.pack to \(id.text)")
    }

    /// Loads the pack `id` and verifies its files.
    ///
    /// - Parameter id: the pack; `nil` takes ``defaultID``.
    /// - Throws: ``PackError`` `.notInstalled` with the remedy, or any error of
    ///   ``ModelPack/init(folder:)``.
    public func pack(_ id: PackID? = nil) throws(PackError) -> ModelPack {
        let id = id ?? defaultID
        guard let packFolder = installed(id) else {
            let there = list().map(\.name)
            let advice =
                switch id {
                case Self.basicID: "run scripts/setup"
                case Self.betterID:
                    "run scripts/setup, or mien models build --files with a folder of its network"
                default: "run mien models install with its folder or address"
                }
            let others =
                there.isEmpty
                ? "no pack is installed" : "installed packs: \(there.joined(separator: ", "))"
            throw PackError(
                .notInstalled,
                "model pack \(id.text) is not installed in \(folder.path) (\(others)); \(advice)")
        }
        let pack = try ModelPack(folder: packFolder)
        guard pack.id == id else {
            throw PackError(
                .badManifest,
                "\(packFolder.path) contains the pack \(pack.id.text), not \(id.text); rename the folder or install it again"
            )
        }
        return pack
    }

    /// Returns the folder of an installed pack.
    func installed(_ id: PackID) -> URL? {
        let url = folder.appending(path: id.text, directoryHint: .isDirectory)
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// Verifies a pack and copies it into the library atomically.
    ///
    /// If the same pack is already installed, does nothing, or repairs it if its files are damaged.
    ///
    /// - Throws: ``PackError``; `.conflict` if another pack has that name and `replacing` is false.
    @discardableResult
    public func install(from source: URL, replacing: Bool = false) throws(PackError) -> ModelPack {
        let offered = try ModelPack(folder: source)
        let packFolder = folder.appending(path: offered.id.text, directoryHint: .isDirectory)
        if FileManager.default.fileExists(atPath: packFolder.path) {
            let isSame = (try? ModelPack.manifest(in: packFolder)) == offered.manifest
            if isSame, let present = try? ModelPack(folder: packFolder) { return present }
            guard replacing || isSame else {
                throw PackError(
                    .conflict,
                    "\(packFolder.path) contains another pack named \(offered.id.text); use --replace to replace it"
                )
            }
        }
        do {
            try StagedFolder.put(at: packFolder) { staging in
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
        return try ModelPack(folder: packFolder)
    }
}
