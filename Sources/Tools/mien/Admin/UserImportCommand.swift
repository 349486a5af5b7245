import ArgumentParser
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTools

extension UserCommand {
    /// `mien admin user import`
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Create accounts for people of another product.",
            discussion: """
                The file has JSON lines, or CSV with a header row. Importing it again changes nothing: \
                a person whose external ID, user name, or verified address has an account stays as \
                they are, unless --update is given. An import never changes how an existing account \
                signs in.

                EXAMPLE
                  mien admin user import people.jsonl --dry-run
                  mien admin user import people.csv
                """)

        enum Format: String, CaseIterable, ExpressibleByArgument { case jsonl, csv }

        /// The output for scripts.
        private struct Output: Encodable {
            let created, changed, unchanged, different: Int
            let fields: [String: Int]
            let errors: [UserImportUpload.Fault]
            let isDryRun: Bool

            enum CodingKeys: String, CodingKey {
                case created, changed, unchanged, different, fields, errors, isDryRun = "dry_run"
            }
        }

        @Argument(help: "The file.", completion: .file(extensions: ["jsonl", "csv"]))
        var file: String
        @Option(help: "The format (default: csv for a file that ends in .csv, or else jsonl).")
        var format: Format?
        @Flag(help: "Only check the file. Names each line that is wrong.") var dryRun = false
        @Flag(help: "Change accounts that differ from the file. Passwords and codes stay.")
        var update = false
        @Option(
            help: ArgumentHelp("The app that one-time codes are for.", valueName: "app"),
            transform: Word.app)
        var otpApp: AppID?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            guard let handle = FileHandle(forReadingAtPath: file) else {
                throw Failure(.badInput, "user.import", "\(file.printable): cannot be read")
            }
            defer { try? handle.close() }
            let isCSV = format.map { $0 == .csv } ?? file.lowercased().hasSuffix(".csv")
            let format: PeopleRecords.Format = isCSV ? .csv : .jsonLines
            let upload = UserImportUpload(format: format, isDryRun: dryRun) {
                [update, dryRun, otpApp] in
                try await admin.importUsers(
                    $0.bytes, format, updating: update, isDryRun: dryRun, otpApp: otpApp)
            }
            let result = try await upload.run {
                try handle.read(upToCount: 1 << 20).map { Array($0) } ?? []
            }
            show(result)
            guard result.faults.isEmpty else {
                let count = result.faults.count
                let words = count == 1 ? "a line is" : "\(count.grouped) lines are"
                throw Failure(
                    .badInput, "user.import",
                    dryRun
                        ? "\(file.printable): \(words) wrong. Correct the file before the import"
                        : "\(file.printable): \(words) wrong. Correct the file and import it again: people who have been imported stay as they are. With --dry-run, all lines are checked"
                )
            }
        }

        private func show(_ result: UserImportUpload.Result) {
            let answer = result.answer
            guard !output.json else {
                JSON.print(
                    Output(
                        created: answer.created, changed: answer.changed,
                        unchanged: answer.unchanged, different: answer.different,
                        fields: answer.fields, errors: result.faults, isDryRun: dryRun))
                return
            }
            for fault in result.faults {
                print("line \(fault.line): \(fault.field.map { "\($0) " } ?? "")\(fault.message)")
            }
            let counts = [
                (answer.created, dryRun ? "to create" : "created"),
                (answer.changed, dryRun ? "to change" : "changed"),
                (answer.unchanged, "unchanged"), (answer.different, "different"),
            ]
            let words = counts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
            print("People: \(words.isEmpty ? "none" : words.joined(separator: ", ")).")
            guard !answer.fields.isEmpty else { return }
            let fields = answer.fields.sorted { $0.key < $1.key }
                .map { "\($0.key) (\($0.value.grouped))" }.joined(separator: ", ")
            print(
                answer.different > 0
                    ? "Fields that differ: \(fields). Add --update to change these accounts."
                    : "Fields: \(fields).")
        }
    }
}
