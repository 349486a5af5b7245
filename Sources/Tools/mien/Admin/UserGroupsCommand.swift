import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

extension UserCommand {
    /// `mien admin user groups`
    struct Groups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "groups", abstract: "List and change a user's groups, or list all groups.",
            discussion: """
                Apps read groups in a claim, with the scope groups.

                EXAMPLE
                  mien admin user groups ada --add admins --add "Grafana editors"
                  mien admin user groups
                """)

        @Argument(help: "The user; without one, all groups are listed.") var user: String?
        @Option(help: ArgumentHelp("A group to add the user to. Repeatable.", valueName: "group"))
        var add: [String] = []
        @Option(
            help: ArgumentHelp("A group to remove the user from. Repeatable.", valueName: "group"))
        var remove: [String] = []
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard user != nil || (add.isEmpty && remove.isEmpty) else {
                throw ValidationError("name the user whose groups change")
            }
        }

        func run() async throws {
            let admin = try server.admin()
            guard let user else { return try await listAll(admin) }
            let (id, _) = try await admin.user(meant: user)
            var groups = try await admin.groups(of: id)
            if !add.isEmpty || !remove.isEmpty {
                groups = try await admin.setGroups(
                    Array(Set(groups).union(add).subtracting(remove)), of: id)
            }
            guard !output.json else { return JSON.print(UserGroups(groups: groups)) }
            print(
                groups.isEmpty
                    ? "The user is in no group."
                    : groups.map(\.printable).joined(separator: "\n"))
        }

        private func listAll(_ admin: MienAdmin) async throws {
            let groups = try await admin.groups()
            guard !output.json else { return JSON.print(GroupsAnswer(groups: groups)) }
            guard !groups.isEmpty else { return print("No user is in a group.") }
            print(
                Terminal.table(
                    groups.map { [$0.name.printable, String($0.users)] },
                    heading: ["group", "users"]))
        }
    }
}
