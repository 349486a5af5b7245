import Foundation
import Testing

/// The README of the benchmarks matches the program.
@Suite struct DocumentTests {
    private static let benchmarks = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func page() throws -> String {
        try String(contentsOf: benchmarks.appending(path: "README.md"), encoding: .utf8)
    }

    @Test func `every error code is documented, and every documented one exists`() throws {
        let sources = Self.benchmarks.appending(path: "Sources/mien-bench")
        var codes: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        where path.hasSuffix(".swift") {
            let source = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            codes.formUnion(source.matches(of: /"(bench\.[a-z-]+)"/).map { String($0.1) })
        }
        let documented = Set(try Self.page().matches(of: /`(bench\.[a-z-]+)`/).map { String($0.1) })
        #expect(codes.count > 3 && codes == documented)
    }

    @Test(arguments: [
        ("pipeline", ["repeats", "gallery"]), ("live", ["repeats", "frames"]),
        ("server", ["seconds", "concurrent", "journeys"]),
        ("servers", ["seconds", "concurrent", "percent", "rounds"]),
        ("documents", ["first", "count", "readings"]),
        ("identity", ["people", "verifications"]), ("portraits", ["seed"]),
        ("verifications", ["count", "clients"]),
    ])
    func `the defaults in the tables match the help`(_ command: String, _ options: [String])
        async throws
    {
        let output = try await BenchProgram.run([command, "--help"]).out.replacing(
            /\s+/, with: " ")
        let help = try #require(output.range(of: "OPTIONS:").map { output[$0.upperBound...] })
        let section = try #require(
            try Self.page().components(separatedBy: "\n## ").first {
                $0.hasPrefix("mien-bench \(command)\n")
            })
        for option in options {
            let row = try #require(
                section.split(separator: "\n").first { $0.hasPrefix("| `--\(option) ") })
            let value = row.split(separator: "|")[1].trimmingCharacters(in: .whitespaces)
            let part = try #require(
                help.range(of: "--\(option) <").map {
                    help[$0.lowerBound...].dropFirst(2).prefix(300)
                })
            let own = part.range(of: " --").map { part[..<$0.lowerBound] } ?? part
            #expect(own.contains("(default: \(value))"), "--\(option): \(own)")
        }
    }
}
