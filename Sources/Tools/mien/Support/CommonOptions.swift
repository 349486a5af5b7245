import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienImage
import MienInference
import MienModels
import MienPixels

/// Options every command has.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, for scripts.")
    var json = false
}

/// Which pack, and how it runs.
struct EngineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The model pack to use (default: \(PackLibrary.defaultID.text)).", valueName: "id"),
        transform: Word.pack)
    var pack: PackID = PackLibrary.defaultID

    @Option(
        help: ArgumentHelp(
            "Arithmetic of the networks: f32 (default), or bf16 where the CPU has it.",
            valueName: "f32|bf16"),
        transform: Word.precision)
    var precision: NetworkOptions.Precision = .f32

    var home: MienHome { MienHomeFolder.current }

    /// The pack, its files checked.
    func loadPack() throws -> ModelPack { try PackLibrary(folder: home.packs).pack(pack) }

    /// The pack's networks on `workers` threads.
    func loadEngine(
        _ pack: ModelPack, workers: Int = 1, crops: [FaceDescriber.Crop]? = nil,
        looksForAttacks: Bool = false, compilingAll: Bool = false
    ) throws -> FaceEngine {
        let cache = home.compiledNetworks
        // A cache that cannot be made only costs time at the next start.
        let isThere =
            (try? FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true))
            != nil
        return try FaceEngine(
            pack: pack, workers: workers,
            options: NetworkOptions(precision: precision, cacheFolder: isThere ? cache.path : nil),
            crops: crops, looksForAttacks: looksForAttacks, compilingAll: compilingAll)
    }
}

/// How much of a photo is accepted.
struct PhotoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Refuse photos of more bytes.", valueName: "bytes"))
    var maxBytes = ImageLimits.standard.maxBytes

    func decode(_ path: String) throws -> RGBImage {
        guard maxBytes > 0 else {
            throw ValidationError("--max-bytes takes a number of bytes over 0")
        }
        let limits = ImageLimits(maxBytes: maxBytes)
        let bytes = try ImageFile.read(path, limits: limits)
        do { return try ImageDecoder.decode(bytes, limits: limits) } catch {
            throw Failure(.badInput, error.code.rawValue, "\(path): \(error)")
        }
    }
}

/// Argument words that are values of ours.
enum Word {
    static func pack(_ text: String) throws -> PackID {
        do { return try PackID(text) } catch {
            throw ValidationError(
                "“\(text)” names no model pack: a name has 1 to 64 of a-z, 0-9, “.” and “-”; mien models list shows them"
            )
        }
    }

    @Sendable static func user(_ text: String) throws -> UserID { try identifier(text, "a user") }
    @Sendable static func app(_ text: String) throws -> AppID { try identifier(text, "an app") }
    @Sendable static func journey(_ text: String) throws -> JourneyID {
        try identifier(text, "a journey")
    }

    private static func identifier<Kind>(_ text: String, _ what: String) throws -> Identifier<Kind>
    {
        guard let id = Identifier<Kind>(text) else {
            throw ValidationError(
                "“\(text)” is not the id of \(what): an id has 1 to 64 of A-Z, a-z, 0-9, “_”, “-” and “.”"
            )
        }
        return id
    }

    static func precision(_ text: String) throws -> NetworkOptions.Precision {
        guard let precision = NetworkOptions.Precision(rawValue: text) else {
            throw ValidationError("--precision is f32 or bf16, not “\(text)”")
        }
        return precision
    }
}
