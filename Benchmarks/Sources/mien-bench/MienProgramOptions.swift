import ArgumentParser
import Foundation
import MienTools

/// The `mien` program to measure.
struct MienProgramOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The mien program to measure (default: the one beside this program).",
            valueName: "path"))
    var mien: String?

    /// This program, which also serves the bare route.
    static var own: URL { URL(filePath: "/proc/self/exe").resolvingSymlinksInPath() }

    /// - Throws: ``Failure`` when there is no such program.
    func program() throws -> URL {
        let program =
            mien.map { URL(filePath: $0) }
            ?? Self.own.deletingLastPathComponent().appending(path: "mien")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Failure(
                .notSetUp, "bench.program",
                "\(program.path) is not a program; build it with swift build -c release --product mien, or name it with --mien"
            )
        }
        return program
    }
}
