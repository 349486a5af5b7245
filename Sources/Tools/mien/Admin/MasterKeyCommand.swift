import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin master-key …`
struct MasterKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "master-key", abstract: "Rotate the key that seals everything stored.",
        discussion: """
            A rotation adds a key, which seals from then on, and seals again in the background what \
            earlier keys sealed. Make a backup before, and another one afterward. Servers that share a \
            database store the key before the first one seals with it.

            EXAMPLE
              mien admin master-key rotate --wait
              mien admin master-key remove 1
            """,
        subcommands: [List.self, Rotate.self, Cancel.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the keys and how many records need each.",
            discussion: """
                Also says which servers a rotation waits for.

                EXAMPLE
                  mien admin master-key list --json
                """, aliases: ["status"])

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await server.admin().masterKeys()
            guard !output.json else { return JSON.print(answer) }
            MasterKeyCommand.tell(answer)
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Add a key and seal everything under it.",
            discussion: """
                The server goes on serving. If it is stopped meanwhile, it continues after its next \
                start.

                EXAMPLE
                  mien admin master-key rotate --wait
                """)

        @Flag(help: "Wait until every record is sealed under the new key.") var wait = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            var answer = try await admin.rotateMasterKey()
            var told: [WaitingServerAnswer]?
            while wait, answer.isSealing {
                if let servers = answer.waitsFor, servers != told {
                    for server in servers { Terminal.warn(MasterKeyCommand.text(of: server)) }
                    told = servers
                }
                try await Task.sleep(for: .milliseconds(200))
                answer = try await admin.masterKeys()
            }
            guard !output.json else { return JSON.print(answer) }
            MasterKeyCommand.tell(answer)
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "End a rotation before the new key seals.",
            discussion: """
                For servers that share a database, if one of them cannot store the new key. The key is \
                dropped, and the one in use stays.

                EXAMPLE
                  mien admin master-key cancel
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            guard let next = try await admin.masterKeys().next else {
                throw ValidationError("no rotation is being prepared")
            }
            try await admin.removeMasterKey(version: next.version)
            let answer = try await admin.masterKeys()
            guard !output.json else { return JSON.print(answer) }
            print("Canceled the rotation to version \(next.version).")
            MasterKeyCommand.tell(answer)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a key that no record needs.",
            discussion: """
                Backups made before keep the key that they need. Tokens of journeys that were not \
                exchanged yet, for at most a day, are refused if they are older than the rotation.

                EXAMPLE
                  mien admin master-key remove 1
                """)

        @Argument(help: "The key's version, as shown by list.") var version: Int
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard version >= 1 else {
                throw ValidationError("VERSION must be at least 1, not \(version)")
            }
        }

        func run() async throws {
            let admin = try server.admin()
            try await admin.removeMasterKey(version: version)
            let answer = try await admin.masterKeys()
            guard !output.json else { return JSON.print(answer) }
            print("Removed version \(version) of the master key.")
            MasterKeyCommand.tell(answer)
        }
    }

    fileprivate static func tell(_ answer: MasterKeysAnswer) {
        print(
            Terminal.table(
                answer.keys.map {
                    ["\($0.version)", $0.id, $0.records.grouped, $0.isActive ? "seals" : ""]
                }, heading: ["version", "id", "records", ""], rightAligned: [0, 2]))
        if let next = answer.next {
            print("Version \(next.version) will seal once every server has stored it.")
        }
        for server in answer.waitsFor ?? [] { print(text(of: server)) }
        if answer.next != nil {
            print("It goes on by itself; mien admin master-key cancel ends it.")
            return
        }
        if answer.isSealing {
            print("Sealing records under the new key; mien admin master-key list shows the rest.")
            return
        }
        let unused = answer.keys.filter { !$0.isActive && $0.records == 0 }
        for key in unused {
            print(
                "No record needs version \(key.version): mien admin master-key remove \(key.version)"
            )
        }
    }

    private static func text(of server: WaitingServerAnswer) -> String {
        "Waiting for \(server.host.isEmpty ? server.name : server.host): it \(server.reason)"
    }
}
