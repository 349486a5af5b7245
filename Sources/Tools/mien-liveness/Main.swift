internal import Foundation
internal import MienCore
internal import MienFace
internal import MienModels

/// Plays attacks and genuine behavior to the liveness checks and counts the verdicts.
///
///     mien-liveness attacks PHOTOS PEOPLE [SKIPPED]
///         a folder of photos with one folder per person; the first SKIPPED photos are excluded
///     mien-liveness genuine CLIPS
///         clips that were used to set the limits, and others
///     mien-liveness replays CLIPS
///         how reliably streams are recognized
///     mien-liveness cues PHOTOS COUNT [CLIPS [PICTURE…]]
///
/// Uses the default pack or the one in MIEN_PACK, including its presentation-attack network if it
/// has one. Prints one line per trial and a table at the end, but no pictures, descriptors, or
/// names.
@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ index: Int) -> Int? { arguments.count > index ? Int(arguments[index]) : nil }
        guard arguments.count >= 2 else { usage() }
        let home = MienHome(environment: ProcessInfo.processInfo.environment)
        let id =
            try ProcessInfo.processInfo.environment["MIEN_PACK"].map { try PackID($0) }
            ?? PackLibrary.defaultID
        let pack = try PackLibrary(folder: home.packs).pack(id)
        let engine = try FaceEngine(
            pack: pack, looksForAttacks: pack.manifest.file(of: .presentationAttack) != nil)
        switch arguments[0] {
        case "attacks":
            guard let people = number(2), people > 0 else { usage() }
            var bench = Bench(engine: engine, photos: try Photos(folder: arguments[1]))
            try await bench.attacks(people: people, skipping: number(3) ?? 0)
            bench.printTable()
        case "genuine":
            var bench = Bench(engine: engine, photos: Photos(files: []))
            try await bench.fitted(Clips(folder: arguments[1]))
            try await bench.heldOut(Clips(folder: arguments[1]))
            bench.printTable()
        case "cues":
            guard let count = number(2), count > 0 else { usage() }
            let bench = Bench(engine: engine, photos: try Photos(folder: arguments[1]))
            let clips = arguments.count > 3 ? Clips(folder: arguments[3]) : nil
            try await bench.cues(
                photos: count, clips: clips, pictures: Array(arguments.dropFirst(4)))
        case "replays":
            try await Bench(engine: engine, photos: Photos(files: [])).replays(
                Clips(folder: arguments[1]))
        default: usage()
        }
    }

    private static func usage() -> Never {
        FileHandle.standardError.write(
            Data(
                "usage: mien-liveness attacks PHOTOS PEOPLE [SKIPPED] | genuine CLIPS | replays CLIPS | cues PHOTOS COUNT [CLIPS [PICTURE…]]\n"
                    .utf8)
        )
        exit(2)
    }
}
