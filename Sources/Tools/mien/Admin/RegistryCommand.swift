import ArgumentParser
import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienTools

/// `mien admin registry …`
struct RegistryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registry",
        abstract: "Manage the reference registry, with which identities are verified.",
        discussion: """
            EXAMPLE
              mien admin registry import people.csv
              mien admin registry status
            """,
        subcommands: [Import.self, Status.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Insert or replace people from a CSV file.",
            discussion: """
                The first row names the columns: id, first_name, last_name, address, postal_code, \
                country, date_of_birth, and optionally city, state, deceased, fraud. An error names \
                the line. Other rows may then be imported; importing the corrected file again replaces \
                them.

                EXAMPLE
                  mien admin registry import people.csv
                  mien admin registry import people.csv --replace
                """)

        @Argument(help: "The CSV file.", completion: .file(extensions: ["csv"])) var file: String
        @Flag(help: "Then remove the people that the file does not list.") var replace = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            guard let handle = FileHandle(forReadingAtPath: file) else {
                throw Failure(.badInput, "registry.file", "\(file.printable): cannot be read")
            }
            defer { try? handle.close() }
            let upload: RegistryUpload.Result
            do {
                upload = try await RegistryUpload(admin).send {
                    try handle.read(upToCount: 1 << 20) ?? Data()
                }
            } catch let error as RegistryFileError {
                throw Failure(.badInput, "registry.file", "\(file.printable): \(error)")
            } catch let error as RegistryUpload.Refused {
                throw Failure(
                    .badInput, "registry.row",
                    "\(file.printable): line \(error.line): \(error.reason)")
            }
            let imported = upload.imported
            var removed: Int?
            if replace, let began = upload.began {
                removed = try await admin.removePeople(importedBefore: began).removed
            }
            if output.json {
                JSON.print(["imported": imported, "removed": removed ?? 0])
            } else {
                print(
                    "Imported \(imported.grouped) \(imported == 1 ? "person" : "people")\(removed.map { " and removed \($0.grouped)" } ?? "")."
                )
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the number of people in the registry.",
            discussion: """
                EXAMPLE
                  mien admin registry status
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let status = try await server.admin().registry()
            guard !output.json else { return JSON.print(status) }
            print(
                "The registry has \(status.people.grouped) \(status.people == 1 ? "person" : "people")."
            )
        }
    }
}
