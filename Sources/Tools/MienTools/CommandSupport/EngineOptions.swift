public import ArgumentParser
internal import Foundation
public import MienCore
public import MienFace
public import MienModels

/// The model pack, and how its networks run.
public struct EngineOptions: ParsableArguments {
    @Option(
        name: .customLong("pack"),
        help: ArgumentHelp(
            "The model pack to use (default: \(PackLibrary.preferred.map(\.text).joined(separator: ", or else "))).",
            valueName: "id"),
        transform: Self.pack)
    var named: PackID?

    @Option(
        help: ArgumentHelp(
            "Arithmetic of the networks: f32 (default), bf16 if the CPU supports it, or int8 if the pack has such networks.",
            valueName: "f32|bf16|int8"),
        transform: Self.precision)
    public var precision: PrecisionOption = .f32

    public init() {}

    /// The pack that was named, or the one to use by default.
    public var pack: PackID { named ?? PackLibrary(folder: home.packs).defaultID }

    /// Returns the pack to compare a template with: the one that was named, or else the one that
    /// made the template, if it is installed.
    public func pack(for template: PackID?) -> PackID {
        guard named == nil, let template, template != pack, isInstalled(template) else {
            return pack
        }
        return template
    }

    /// Whether the library has a pack of this name. Its files are not checked.
    public func isInstalled(_ id: PackID) -> Bool {
        PackLibrary(folder: home.packs).list().contains { (try? PackID($0.name)) == id }
    }

    public var home: MienHome { .current }

    /// Loads the pack and checks its files.
    public func loadPack() throws -> ModelPack { try PackLibrary(folder: home.packs).pack(pack) }

    /// Creates an engine with the pack's networks on `workers` threads.
    public func loadEngine(
        _ pack: ModelPack, workers: Int = 1, crops: [FaceDescriber.Crop]? = nil,
        looksForAttacks: Bool = false, compilingAll: Bool = false
    ) throws -> FaceEngine {
        let cache = home.compiledNetworks
        // A cache that cannot be created only slows down the next start.
        let isThere =
            (try? FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true))
            != nil
        return try FaceEngine(
            pack: pack, workers: workers,
            options: NetworkOptions(
                precision: precision.arithmetic, cacheFolder: isThere ? cache.path : nil),
            variant: precision.variant, crops: crops, looksForAttacks: looksForAttacks,
            compilingAll: compilingAll)
    }

    /// Parses the name of a pack.
    package static func pack(_ text: String) throws -> PackID {
        do { return try PackID(text) } catch {
            throw ValidationError(
                "“\(text)” is not the name of a model pack: a name has 1 to 64 of a-z, 0-9, “.”, and “-”. mien models list shows the installed packs"
            )
        }
    }

    private static func precision(_ text: String) throws -> PrecisionOption {
        guard let precision = PrecisionOption(rawValue: text) else {
            throw ValidationError("--precision must be f32, bf16, or int8, not “\(text)”")
        }
        return precision
    }
}

extension MienHome {
    /// The home folder of this process.
    public static var current: MienHome {
        MienHome(environment: ProcessInfo.processInfo.environment)
    }
}
