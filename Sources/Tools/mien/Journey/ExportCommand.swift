import ArgumentParser
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien journey export ID`
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Get a journey's definition from a server.",
        discussion: """
            The output is JSON with and without --json.

            EXAMPLE
              mien journey export face-login --output face-login.json
            """)

    @Argument(help: "The journey's ID.", transform: Word.journey) var id: JourneyID
    @Option(
        name: .customLong("version"),
        help: ArgumentHelp(
            "The version (default: the newest published one, or else the newest one).",
            valueName: "n"))
    var chosen: Int?
    @Option(help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"))
    var output: String?
    @OptionGroup var server: ServerOptions
    @OptionGroup var form: OutputOptions

    func run() async throws {
        if let output { try OutputFile.check(file: output) }
        let admin = try server.admin(), version = try await version(admin)
        let text = JSONText.write(try await admin.journey(id, version: version), pretty: true)
        guard let output else { return print(text) }
        try OutputFile.write(Data((text + "\n").utf8), to: URL(filePath: output))
        if form.json {
            JSON.print(Output(id: id.text, version: version, file: output))
        } else {
            print("\(output): \(id), version \(version).")
        }
    }

    private func version(_ admin: MienAdmin) async throws -> Int {
        if let chosen { return chosen }
        let all = try await admin.journeys().filter { $0.id == id.text }
        guard
            let newest =
                (all.filter { $0.state == .known(.published) }.map(\.version).max()
                    ?? all.map(\.version).max())
        else {
            throw Failure(
                .badInput, "server.not-found",
                "the server has no journey “\(id)”; mien journey list shows its journeys")
        }
        return newest
    }

    private struct Output: Encodable {
        let id: String
        let version: Int
        let file: String
    }
}
