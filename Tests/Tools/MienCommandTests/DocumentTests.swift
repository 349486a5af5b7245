import Foundation
import MienStore
import MienTesting
import Testing

/// docs/command-line.md matches the program.
@Suite struct DocumentTests {
    private static let repository = Repository.root

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    /// All strings in the program's sources that have the form of an error code.
    private static func codes() throws -> Set<String> {
        var codes: Set<String> = []
        for part in [
            "Tools/mien", "Tools/MienTools/CommandSupport", "Domain/MienCore/Core",
            "Domain/MienFace/Face",
            "Domain/MienFace/Calibration",
            "Domain/MienKeys/OTP",
            "Engines/MienMedia/Image", "Adapters/MienModels/Inference", "Engines/MienMedia/Media",
            "Adapters/MienModels/Models", "Adapters/MienModels/Reading",
            "Adapters/MienVault/Sealing",
            "Adapters/MienVault/Vault", "Adapters/MienStore/Backup", "Engines/MienHardware/PKCS11",
        ] {
            let folder = repository.appending(path: "Sources/\(part)")
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            where path.hasSuffix(".swift") {
                let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                codes.formUnion(
                    source.matches(of: /"([a-z]+\.[a-z]+(?:-[a-z]+)*)"/).map { String($0.1) })
            }
        }
        // The codes of device modules that the command line passes on.
        codes.formUnion(
            try text("Sources/SDK/MienDevice/OneTimeCodes/OTPTokenError.swift").matches(
                of: /"([a-z]+\.[a-z]+(?:-[a-z]+)*)"/
            ).map { String($0.1) })
        // The codes of face checks for tokens.
        codes.formUnion([
            "face.locked-out", "face.not-confirmed", "face.storage", "face.tampered",
            "device.wrong-passcode",
            "device.passcode-lockout",
        ])
        let start = try text("Sources/Server/MienServer/Core/ServerStartError.swift")
        codes.formUnion(start.matches(of: /"([a-z]+\.[a-z]+(?:-[a-z]+)*)"/).map { String($0.1) })
        codes.formUnion(StoreError.Code.allCases.map(\.rawValue))
        // Excludes names of files and threads, and the codes by which frame sources report to
        // sessions, because the command line prints a video's own error.
        return codes.filter { code in
            ![
                "jpg", "png", "csv", "txt", "json", "bin", "key", "sqlite", "xml", "yaml", "lock",
            ].contains { code.hasSuffix(".\($0)") }
                && !["mien.face", "mien.media", "error.type"].contains(code)
                && !code.hasPrefix("frames.")
        }
    }

    @Test func `every error code is documented, and every documented one exists`() throws {
        let page = try Self.text("docs/command-line.md")
        let codes = try Self.codes()
        #expect(codes.count > 70)
        let documented = Set(
            page.matches(of: /`([a-z]+\.[a-z]+(?:-[a-z]+)*)`/).map { String($0.1) }.filter {
                $0.contains(".")
            }
        )
        // Excludes a step's setting in a message of the linter, and settings of servers.
        .subtracting(["on.failure", "key.path", "identity.documents"])
        .filter { code in
            ![
                "key", "json", "bin", "txt", "png", "csv", "jpg", "gif", "jpeg", "tar", "tgz",
                "yaml",
            ].contains { code.hasSuffix(".\($0)") }
        }
        #expect(codes.subtracting(documented).sorted() == [])
        #expect(documented.subtracting(codes).sorted() == [])
    }

    @Test func `the defaults in the tables match the help`() async throws {
        let home = try TemporaryHome(hasPack: false), page = try Self.text("docs/command-line.md")
        for (command, options) in [("calibrate", ["cohort", "folds", "seed"])] {
            let output = try await home.mien("face", command, "--help").out.replacing(
                /\s+/, with: " ")
            let help = try #require(output.range(of: "OPTIONS:").map { output[$0.upperBound...] })
            for option in options {
                let row = try #require(
                    page.split(separator: "\n").first { $0.hasPrefix("| `--\(option) ") })
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

    @Test func `the architecture has at most 2,500 words`() throws {
        let page = try Self.text("ARCHITECTURE.md")
        #expect(page.split(whereSeparator: \.isWhitespace).count <= 2500)
    }

    @Test(arguments: ["ARCHITECTURE.md", "docs/tree.md"])
    func `the files and test suites that the architecture names exist`(_ path: String) throws {
        let page = try Self.text(path)
        let files = page.matches(
            of: /`((?:Sources|Tests|Web|Fuzz|Examples|Benchmarks|docs|scripts)\/[\w.\/+-]+)`/)
        for file in Set(files.map { String($0.1) }) {
            let isThere = FileManager.default.fileExists(
                atPath: Self.repository.appending(path: file).path)
            #expect(isThere, "\(file)")
        }
        let named = Set(page.matches(of: /`(\w+Tests)`/).map { String($0.1) })
        let tests = Self.repository.appending(path: "Tests")
        let there = try FileManager.default.subpathsOfDirectory(atPath: tests.path).map {
            URL(filePath: $0).deletingPathExtension().lastPathComponent
        }
        #expect(!named.isEmpty && named.subtracting(there).sorted() == [])
    }
}
