import ArgumentParser
import Foundation
import MienAPI
import MienClient
import MienCommandSupport
import MienCore
import MienIdentity

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
                the row; the rows before its part of the file are imported, and importing the corrected \
                file again replaces them.

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
            var parts = RegistryParts(), imported = 0, began: Int64?
            func send(_ part: RegistryParts.Part) async throws {
                do {
                    let answer = try await admin.importPeople(part.bytes)
                    imported += answer.imported
                    began = began ?? answer.importedAt
                } catch let error as MienError {
                    throw Self.failure(error, part, file)
                }
            }
            do {
                while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty {
                    for part in try parts.read(bytes) { try await send(part) }
                }
                for part in try parts.finish() { try await send(part) }
            } catch let error as RegistryFileError {
                throw Failure(.badInput, "registry.file", "\(file.printable): \(error)")
            }
            var removed: Int?
            if replace, let began {
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

        /// Names the row of the file that the server refused.
        private static func failure(
            _ error: MienError, _ part: RegistryParts.Part, _ file: String
        ) -> any Error {
            guard let field = error.fields.first, field.field.hasPrefix("rows["),
                let index = Int(field.field.dropFirst(5).dropLast())
            else { return error }
            return Failure(
                .badInput, "registry.row",
                "\(file.printable): row \((part.firstRow + index).grouped): \(field.message)")
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

/// Divides a CSV file into parts that one request can carry, each with the header row. Memory is
/// bounded by one part.
struct RegistryParts {
    struct Part {
        let bytes: [UInt8]
        /// The number of its first row, counted from 1 without the header.
        let firstRow: Int
    }

    /// The maximum number of rows of a part. The more rows the server writes together, the fewer
    /// pages it writes for each.
    static let maxRows = 10_000

    private var file = RegistryFile()
    private var rows: [RegistryRow] = []
    private var sent = 0

    mutating func read(_ bytes: some Sequence<UInt8>) throws(RegistryFileError) -> [Part] {
        rows += try file.read(bytes)
        var parts: [Part] = []
        while rows.count >= Self.maxRows { parts += take(Self.maxRows) }
        return parts
    }

    mutating func finish() throws(RegistryFileError) -> [Part] {
        if let last = try file.finish() { rows.append(last) }
        return take(rows.count)
    }

    /// Returns the first rows, in as many parts as their size needs.
    private mutating func take(_ count: Int) -> [Part] {
        var parts: [Part] = [], bytes = RegistryFile.header, first = sent + 1
        for row in rows.prefix(count) {
            let line = row.line
            if bytes.count + line.count > MienAdmin.maxImportBytes {
                parts.append(Part(bytes: bytes, firstRow: first))
                (bytes, first) = (RegistryFile.header, sent + 1)
            }
            bytes += line
            sent += 1
        }
        rows.removeFirst(count)
        if sent >= first { parts.append(Part(bytes: bytes, firstRow: first)) }
        return parts
    }
}
