import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienModels
import MienTools

/// `mien models …`
struct ModelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models", abstract: "List, install, build, and check model packs.",
        discussion: """
            EXAMPLE
              mien models list
              mien models install ./my-pack
            """,
        subcommands: [ListPacks.self, InstallPack.self, BuildPack.self, VerifyPack.self])

    struct ListPacks: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the installed model packs.",
            discussion: """
                EXAMPLE
                  mien models list
                """)

        @OptionGroup var output: OutputOptions

        func run() throws {
            let packs = PackLibrary(folder: MienHome.current.packs).list()
            guard !output.json else {
                let entries = packs.map { name, manifest in
                    Output(
                        id: name, title: try? manifest.get().title,
                        license: try? manifest.get().license,
                        dimensions: try? manifest.get().geometry.descriptor.dimensions,
                        isDefault: Self.isDefault(name),
                        fault: manifest.failure?.reason)
                }
                JSON.print(["packs": entries])
                return
            }
            if packs.isEmpty {
                print("No model pack is installed. Run scripts/setup for the default one.")
            }
            let rows = packs.map { name, manifest in
                switch manifest {
                case .success(let manifest):
                    [
                        name + (Self.isDefault(name) ? " (default)" : ""),
                        manifest.title, manifest.license,
                    ]
                case .failure(let error): [name, "unusable: \(error.reason)", ""]
                }
            }
            if !rows.isEmpty {
                print(Terminal.table(rows, heading: ["id", "title", "license"]))
            }
        }

        private static func isDefault(_ name: String) -> Bool {
            (try? PackID(name)) == PackLibrary(folder: MienHome.current.packs).defaultID
        }

        private struct Output: Encodable {
            let id: String
            let title, license: String?
            let dimensions: Int?
            let isDefault: Bool
            let fault: String?

            private enum CodingKeys: String, CodingKey {
                case id, title, license = "licence", dimensions, isDefault, fault
            }
        }
    }

    struct VerifyPack: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Compare every file of a pack, or of all packs, with its manifest.",
            discussion: """
                EXAMPLE
                  mien models verify mien-basic-1
                """)

        @Argument(help: "The pack (default: every installed pack).", transform: EngineOptions.pack)
        var id: PackID?
        @OptionGroup var output: OutputOptions

        func run() throws {
            let library = PackLibrary(folder: MienHome.current.packs)
            let ids = id.map { [$0] } ?? library.list().compactMap { try? PackID($0.name) }
            guard !ids.isEmpty else {
                // Throws an error that says what to install.
                _ = try library.pack()
                return
            }
            // A named pack must be installed. Without a name, a bad pack does not affect the
            // others.
            let checks = try ids.map { id in
                do {
                    return Check(id: id.text, files: try Self.verify(id, in: library), fault: nil)
                } catch let error as PackError
                    where
                    error != PackError(.notInstalled, "")
                {
                    return Check(
                        id: id.text, files: nil,
                        fault: .init(code: error.code.rawValue, message: error.reason))
                }
            }
            for fault in checks.compactMap(\.fault) { Terminal.warn("mien: \(fault.message)") }
            if output.json { JSON.print(["packs": checks]) } else { checks.forEach(Self.report) }
            if checks.contains(where: { $0.fault != nil }) { throw Outcome.notSetUp }
        }

        /// - Returns: the number of the pack's files.
        private static func verify(_ id: PackID, in library: PackLibrary) throws -> Int {
            let pack = try library.pack(id)
            _ = try pack.matcher()
            return pack.manifest.files.count
        }

        private static func report(_ check: Check) {
            if let files = check.files {
                Terminal.say("\(check.id): all \(files) files match the manifest.")
            }
            if check.fault != nil { Terminal.say("\(check.id): cannot be used.") }
        }

        private struct Check: Encodable {
            struct Fault: Encodable {
                let code, message: String
            }
            let id: String
            let files: Int?
            let fault: Fault?
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
