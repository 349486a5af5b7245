import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin organization …`
struct OrganizationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "organization",
        abstract: "Manage organizations, their members, and their administrators.",
        discussion: """
            ORGANIZATION is an ID or an external ID. USER is an ID, a user name, an email address, or \
            an external ID. The role “admin” makes an organization administrator; other roles are your \
            apps' own.

            EXAMPLE
              mien admin organization create "Northwind" --external-id crm-17
              mien admin organization add crm-17 ada --role admin
            """,
        subcommands: [
            List.self, Create.self, Show.self, Change.self, Delete.self, Members.self, Add.self,
            Roles.self, Remove.self, Invite.self, Invitations.self, Revoke.self, Allow.self,
            Forbid.self, SCIMToken.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the organizations by name.",
            discussion: """
                EXAMPLE
                  mien admin organization list --name north
                """)

        @Option(help: "Only names that begin with this text, in any case.") var name: String?
        @Option(
            help: "Start after the organization with this ID.",
            transform: { try OrganizationCommand.id($0) })
        var after: OrganizationID?
        @OptionGroup var limit: LimitOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            try await limit.show(
                "organizations", after: after?.text, output,
                none: "There are no such organizations.", id: \.id,
                heading: ["id", "name", "external id", "state", "created"],
                row: {
                    [
                        $0.id, $0.name.printable, $0.externalID?.printable ?? "",
                        $0.state.rawValue, AdminOutput.time($0.createdAt),
                    ]
                },
                {
                    try await admin.organizations(
                        beginning: name, after: $0.flatMap { OrganizationID($0) })
                })
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create an organization.",
            discussion: """
                EXAMPLE
                  mien admin organization create "Northwind" --external-id crm-17
                """)

        @Argument(help: "The name that its members see.") var name: String
        @Option(help: ArgumentHelp("The organization's ID in another system.", valueName: "id"))
        var externalId: String?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            OrganizationCommand.show(
                try await server.admin().createOrganization(
                    OrganizationRequest(name: name, externalID: externalId)), output)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show an organization.",
            discussion: """
                EXAMPLE
                  mien admin organization show crm-17
                """)

        @Argument(help: "The organization.") var organization: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            OrganizationCommand.show(
                try await server.admin().organization(meant: organization).organization, output)
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change an organization.",
            discussion: """
                Fields that you do not name stay unchanged. An empty external ID removes the old one. \
                Suspending an organization ends the sign-ins through it.

                EXAMPLE
                  mien admin organization set crm-17 --state suspended
                """)

        @Argument(help: "The organization.") var organization: String
        @Option(help: "The name that its members see.") var name: String?
        @Option(help: ArgumentHelp("The organization's ID in another system.", valueName: "id"))
        var externalId: String?
        @Option(
            help: ArgumentHelp(
                "Nobody signs in through a suspended organization.",
                valueName: "active|suspended"),
            transform: { try Word.choice($0, for: "--state") })
        var state: OrganizationState?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard name != nil || externalId != nil || state != nil else {
                throw ValidationError(
                    "name a field to change: --name, --external-id, or --state")
            }
        }

        func run() async throws {
            let admin = try server.admin(),
                (id, _) = try await admin.organization(meant: organization)
            OrganizationCommand.show(
                try await admin.updateOrganization(
                    id, OrganizationRequest(name: name, externalID: externalId, state: state)),
                output)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete an organization. The accounts of its members stay.",
            discussion: """
                Without --yes, the command says what goes and deletes nothing.

                EXAMPLE
                  mien admin organization delete crm-17 --yes
                """)

        @Argument(help: "The organization.") var organization: String
        @Flag(help: "Delete it.") var yes = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                (id, found) = try await admin.organization(meant: organization),
                contents = try await admin.deletionPreview(of: id)
            let goes =
                "\(contents.members) memberships, \(contents.invitations) invitations, and the permission to use \(contents.apps) apps; \(contents.signIns) sign-ins end"
            guard yes else {
                throw Failure(
                    .badInput, "organization.unconfirmed",
                    "nothing was deleted. With “\(found.name.inSentence)” go \(goes). Confirm with --yes"
                )
            }
            try await admin.deleteOrganization(id)
            output.tell(["deleted": id.text], "Deleted \(id), with \(goes).")
        }
    }

    static func id(_ text: String) throws -> OrganizationID {
        guard let id = OrganizationID(text) else {
            throw ValidationError(
                "“\(text)” is not the ID of an organization: an ID has 1 to 64 of A-Z, a-z, 0-9, “_”, “-”, and “.”"
            )
        }
        return id
    }

    private static func show(_ found: OrganizationAnswer, _ output: OutputOptions) {
        guard !output.json else { return JSON.print(found) }
        AdminOutput.sheet([
            ("id", found.id), ("name", found.name.printable),
            ("external id", found.externalID?.printable), ("state", found.state.rawValue),
            ("apps", found.apps.isEmpty ? nil : found.apps.joined(separator: ", ")),
            ("metadata", AdminOutput.members(found.metadata)),
            ("created", AdminOutput.time(found.createdAt)),
        ])
    }
}

extension MienAdmin {
    /// Finds an organization by ID, or else by external ID.
    func organization(meant text: String) async throws -> (
        id: OrganizationID, organization: OrganizationAnswer
    ) {
        if let id = OrganizationID(text) {
            do { return (id, try await organization(id)) } catch let error as MienError
                where error.problem?.code == .notFound
            {}
        }
        guard let found = try await findOrganization(externalID: text),
            let id = OrganizationID(found.id)
        else {
            throw Failure(
                .badInput, "organization.unknown",
                "no organization has the ID or external ID “\(text.inSentence)”")
        }
        return (id, found)
    }
}
