import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienImage
import MienInference
import MienModels
import MienPixels

/// Options that every command has.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, for scripts.")
    var json = false
}

/// The model pack, and how its networks run.
struct EngineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The model pack to use (default: \(PackLibrary.defaultID.text)).", valueName: "id"),
        transform: Word.pack)
    var pack: PackID = PackLibrary.defaultID

    @Option(
        help: ArgumentHelp(
            "Arithmetic of the networks: f32 (default), or bf16 if the CPU supports it.",
            valueName: "f32|bf16"),
        transform: Word.precision)
    var precision: NetworkOptions.Precision = .f32

    var home: MienHome { MienHomeFolder.current }

    /// Loads the pack and checks its files.
    func loadPack() throws -> ModelPack { try PackLibrary(folder: home.packs).pack(pack) }

    /// Creates an engine with the pack's networks on `workers` threads.
    func loadEngine(
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
            options: NetworkOptions(precision: precision, cacheFolder: isThere ? cache.path : nil),
            crops: crops, looksForAttacks: looksForAttacks, compilingAll: compilingAll)
    }
}

/// Limits for photos.
struct PhotoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Refuse larger photo files.", valueName: "bytes"))
    var maxBytes = ImageLimits.standard.maxBytes

    func decode(_ path: String) throws -> RGBImage {
        guard maxBytes > 0 else {
            throw ValidationError("--max-bytes must be greater than 0")
        }
        let limits = ImageLimits(maxBytes: maxBytes)
        let bytes = try ImageFile.read(path, limits: limits)
        do { return try ImageDecoder.decode(bytes, limits: limits) } catch {
            throw Failure(.badInput, error.code.rawValue, "\(path): \(error)")
        }
    }
}

/// Parsers of arguments.
enum Word {
    static func pack(_ text: String) throws -> PackID {
        do { return try PackID(text) } catch {
            throw ValidationError(
                "“\(text)” is not the name of a model pack: a name has 1 to 64 of a-z, 0-9, “.”, and “-”. mien models list shows the installed packs"
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
                "“\(text)” is not the ID of \(what): an ID has 1 to 64 of A-Z, a-z, 0-9, “_”, “-”, and “.”"
            )
        }
        return id
    }

    /// Parses a word of a fixed set for `option`.
    static func choice<Choice: WireWord>(_ text: String, for option: String) throws -> Choice {
        guard let choice = Choice(rawValue: text) else {
            throw ValidationError("\(option) must be \(Choice.choices), not “\(text)”")
        }
        return choice
    }

    static func precision(_ text: String) throws -> NetworkOptions.Precision {
        guard let precision = NetworkOptions.Precision(rawValue: text) else {
            throw ValidationError("--precision must be f32 or bf16, not “\(text)”")
        }
        return precision
    }
}
