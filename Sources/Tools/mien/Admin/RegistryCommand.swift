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
                country, date_of_birth, and optionally city, state, deceased, fraud. The file is UTF-8, \
                or UTF-16 with a byte-order mark. An error names the line. Other rows may then be \
                imported; importing the corrected file again replaces them.

                EXAMPLE
                  mien admin registry import people.csv
                  mien admin registry import people.csv --replace
                  mien admin registry import people.csv --encoding windows-1252
                """)

        enum Encoding: String, CaseIterable, ExpressibleByArgument {
            case unicode, windows1252 = "windows-1252"
        }

        /// The output for scripts.
        private struct Outcome: Encodable {
            let imported, removed: Int
            /// For a file in Windows-1252 only.
            var rowsBeyondASCII: Int?
            var letters: String?

            enum CodingKeys: String, CodingKey {
                case imported, removed, rowsBeyondASCII = "rows_beyond_ascii", letters
            }
        }

        @Argument(help: "The CSV file.", completion: .file(extensions: ["csv"])) var file: String
        @Flag(help: "Then remove the people that the file does not list.") var replace = false
        @Option(help: "windows-1252 for a file that Excel saved as “CSV”, not as “CSV UTF-8”.")
        var encoding = Encoding.unicode
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
                upload = try await RegistryUpload(
                    admin, encoding == .windows1252 ? .windows1252 : .unicode
                ).send { try handle.read(upToCount: 1 << 20) ?? Data() }
            } catch let error as RegistryFileError {
                let hint =
                    error.isOfEncoding
                    ? ", or add --encoding windows-1252 if Excel saved it as “CSV”" : ""
                throw Failure(.badInput, "registry.file", "\(file.printable): \(error)\(hint)")
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
            let letters = encoding == .unicode ? nil : upload.letters
            if output.json {
                JSON.print(
                    Outcome(
                        imported: imported, removed: removed ?? 0, rowsBeyondASCII: letters?.rows,
                        letters: letters?.text))
            } else {
                print(
                    "Imported \(imported.grouped) \(imported == 1 ? "person" : "people")\(removed.map { " and removed \($0.grouped)" } ?? "")."
                )
                if let letters { Self.show(letters) }
            }
        }

        /// Lets people see whether the file has another encoding.
        private static func show(_ letters: RegistryLetters) {
            guard letters.rows > 0 else { return print("No row has letters beyond ASCII.") }
            print(
                """
                Read as Windows-1252: \(letters.rows.grouped) \(letters.rows == 1 ? "row has" : "rows have") letters beyond ASCII: \(letters.text.printable)
                If some of these are in none of the names, save the file as CSV UTF-8 and import it again.
                """)
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
