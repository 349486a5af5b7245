import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin user …`
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage accounts.",
        discussion: """
            USER is an ID, a user name, an email address, or an external ID.

            EXAMPLE
              mien admin user create --username ada --email ada@example.org
              mien admin user set ada --state suspended
            """,
        subcommands: [
            List.self, Create.self, Import.self, Show.self, Change.self, Groups.self,
            SignIns.self, EndSignIns.self, Compromised.self, Delete.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the accounts.",
            discussion: """
                EXAMPLE
                  mien admin user list --limit 1000
                """)

        @Option(help: "Start after the user with this ID.", transform: Word.user) var after: UserID?
        @OptionGroup var limit: LimitOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            try await limit.show(
                "users", after: after?.text, output,
                none: "There are no users\(after == nil ? "" : " after that one").", id: \.id,
                heading: ["id", "username", "email", "external id", "state", "created"],
                row: {
                    [
                        $0.id, $0.username ?? "", $0.email ?? "", $0.externalID ?? "",
                        $0.state.rawValue, AdminOutput.time($0.createdAt),
                    ]
                }, { try await admin.users(after: $0.flatMap { UserID($0) }) })
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create an account.",
            discussion: """
                An account needs a user name, an email address, or an external ID.

                EXAMPLE
                  mien admin user create --username ada --email ada@example.org --attribute plan=gold
                  pass show ada | mien admin user create --username ada --password-stdin
                """)

        @OptionGroup var fields: UserFieldOptions
        @Flag(help: "A test account, to try journeys with. It never becomes a person's account.")
        var test = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard fields.username != nil || fields.email != nil || fields.externalId != nil else {
                throw ValidationError("a user needs --username, --email, or --external-id")
            }
        }

        func run() async throws {
            var request = try fields.request(attributes: [:])
            request.isTest = test ? true : nil
            UserCommand.show(try await server.admin().createUser(request), output)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a user.",
            discussion: """
                EXAMPLE
                  mien admin user show ada@example.org
                """)

        @Argument(help: "The user.") var user: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            UserCommand.show(try await server.admin().user(meant: user).user, output)
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change a user.",
            discussion: """
                Fields that you do not name stay unchanged. An empty name or address removes the old one.

                EXAMPLE
                  mien admin user set ada --state suspended
                  mien admin user set ada --email "" --attribute plan=gold --remove-attribute trial
                """)

        @Argument(help: "The user.") var user: String
        @OptionGroup var fields: UserFieldOptions
        @Option(
            help: ArgumentHelp(
                "An attribute to remove. Repeatable.", valueName: "name"))
        var removeAttribute: [String] = []
        @Option(
            help: ArgumentHelp("Suspended users cannot sign in.", valueName: "active|suspended"),
            transform: { try Word.choice($0, for: "--state") })
        var state: UserRequest.State?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard !fields.isEmpty || state != nil || !removeAttribute.isEmpty else {
                throw ValidationError("name a field to change: --username, --email, --state, …")
            }
        }

        func run() async throws {
            let admin = try server.admin(), (id, found) = try await admin.user(meant: user)
            var request = try fields.request(
                attributes: found.attributes, removing: removeAttribute)
            request.state = state
            UserCommand.show(try await admin.updateUser(id, request), output)
        }
    }

    struct Compromised: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compromised",
            abstract: "End everything that was started with a user's credentials.",
            discussion: """
                Use this command when somebody else knows the password or holds a device. Sign-ins, known \
                devices, running journeys, and unused codes end at once. The credentials stay valid: set a \
                new password, and remove authenticators that do not belong to the user.

                EXAMPLE
                  mien admin user compromised ada
                """)

        @Argument(help: "The user.") var user: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(), (id, _) = try await admin.user(meant: user)
            try await admin.markCompromised(id)
            output.tell(
                ["compromised": id.text],
                "Ended everything that was started with the credentials of \(id).")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a user. All their data becomes unreadable.",
            discussion: """
                EXAMPLE
                  mien admin user delete ada --yes
                  mien admin user delete ada --dry-run
                """)

        @Argument(help: "The user.") var user: String
        @Flag(help: "Only count what would go and what would stay.") var dryRun = false
        @OptionGroup var consent: DeletionOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if dryRun { return }
            try consent.check("it deletes the user's faces, password, and devices")
        }

        func run() async throws {
            let admin = try server.admin(), (id, _) = try await admin.user(meant: user)
            if dryRun { return Self.show(try await admin.erasurePreview(of: id), output) }
            try await admin.deleteUser(id)
            output.tell(["deleted": id.text], "Deleted \(id).")
        }

        private static func show(_ preview: ErasurePreviewAnswer, _ output: OutputOptions) {
            guard !output.json else { return JSON.print(preview) }
            let rows = [("erased", preview.erased), ("kept", preview.kept)].flatMap { end, counts in
                counts.sorted { $0.key < $1.key }.map { [$0.key, String($0.value), end] }
            }
            print(Terminal.table(rows, heading: ["records", "number", ""]))
        }
    }

    private static func show(_ user: UserAnswer, _ output: OutputOptions) {
        guard !output.json else { return JSON.print(user) }
        AdminOutput.sheet([
            ("id", user.id), ("username", user.username),
            ("email", user.email.map { user.emailVerified == false ? "\($0) (unverified)" : $0 }),
            ("external id", user.externalID), ("state", user.state.rawValue),
            ("test account", user.isTest == true ? "yes" : nil),
            ("attributes", AdminOutput.members(user.attributes)),
            ("created", AdminOutput.time(user.createdAt)),
        ])
    }
}
