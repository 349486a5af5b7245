internal import Foundation
internal import MienFace
internal import MienModels

/// Plays attacks and genuine behaviour to the checks of liveness, and counts.
///
///     mien-liveness <folder of photos, one folder a person> <people> [<folder of clips, each a folder of numbered PNG>]
///
/// Prints a line a trial and a table at the end. No picture, no descriptor, no name.
@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let people = Int(arguments[1]), people > 0 else {
            FileHandle.standardError.write(Data("usage: mien-liveness <photos> <people, 1 or more> [<clips>]\n".utf8))
            exit(2)
        }
        let home = MienHome(environment: ProcessInfo.processInfo.environment)
        let engine = try FaceEngine(pack: try PackLibrary(folder: home.packs).pack(), workers: 1)
        var bench = Bench(engine: engine, photos: try Photos(folder: arguments[0]))
        if arguments.count > 2 { try await bench.clips(in: arguments[2]) }
        try await bench.attacks(people: people)
        bench.printTable()
    }
}
