import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin face-group …`
struct FaceGroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "face-group",
        abstract: "Let apps share faces, so that a face registered in one signs in to all.",
        discussion: """
            Each person agrees in a text of consent, which names the apps. An app that leaves a group \
            loses its faces, and those that only it used are erased.

            EXAMPLE
              mien admin face-group create "Office" --app mail --app files
              mien admin face-group list
            """,
        subcommands: [List.self, Create.self, Show.self, Set.self, Delete.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the groups of apps that share faces.",
            discussion: """
                EXAMPLE
                  mien admin face-group list --json
                """)

        @Option(help: "Start after the group with this ID.") var after: String?
        @OptionGroup var limit: LimitOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            try await limit.show(
                "groups", after: after, output, none: "No apps share faces.", id: \.id,
                heading: ["id", "name", "apps", "people"], rightAligned: [3],
                row: {
                    [
                        $0.id, $0.name.printable, $0.appIDs.joined(separator: ", "),
                        $0.people.grouped,
                    ]
                }, { try await admin.faceGroups(after: $0) })
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create a group of apps that share faces.",
            discussion: """
                People who have faces in these apps keep them, each for its app, until they register a \
                face again and agree to share it.

                EXAMPLE
                  mien admin face-group create "Office" --app mail --app files --max-age 120
                """)

        @Argument(help: "A name for administrators.") var name: String
        @Option(
            help: ArgumentHelp("The ID of an app of the group. Repeatable.", valueName: "app"),
            transform: Word.app)
        var app: [AppID] = []
        @Option(
            help: ArgumentHelp(
                "How old a sign-in with the face may be to sign in to another app of the group; 0 if each app looks for itself. Default: 300.",
                valueName: "seconds"))
        var maxAge: Int?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let made = try await server.admin().createFaceGroup(
                FaceGroupRequest(name: name, appIDs: app.map(\.text), maxAge: maxAge))
            guard !output.json else { return JSON.print(made) }
            FaceGroupCommand.show(made)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a group of apps that share faces.",
            discussion: """
                EXAMPLE
                  mien admin face-group show fgr_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The group's ID.", transform: Word.faceGroup) var group: FaceGroupID
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try await server.admin().faceGroup(group)
            guard !output.json else { return JSON.print(found) }
            FaceGroupCommand.show(found)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the apps of a group, its name, or its time.",
            discussion: """
                An app that leaves loses the shared faces at once, and its sign-ins with them end. Faces \
                that only it used are erased. An app that comes gets the faces of people who agree to \
                the new text of consent.

                EXAMPLE
                  mien admin face-group set fgr_0c9JkYH2dTq4m8wXzR1aBg --add chat --remove files
                """)

        @Argument(help: "The group's ID.", transform: Word.faceGroup) var group: FaceGroupID
        @Option(
            help: ArgumentHelp("An app that comes. Repeatable.", valueName: "app"),
            transform: Word.app)
        var add: [AppID] = []
        @Option(
            help: ArgumentHelp("An app that leaves. Repeatable.", valueName: "app"),
            transform: Word.app)
        var remove: [AppID] = []
        @Option(help: "The new name.") var name: String?
        @Option(
            help: ArgumentHelp(
                "How old a sign-in with the face may be to sign in to another app of the group.",
                valueName: "seconds"))
        var maxAge: Int?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard !add.isEmpty || !remove.isEmpty || name != nil || maxAge != nil else {
                throw ValidationError("give --add, --remove, --name, or --max-age")
            }
        }

        func run() async throws {
            let admin = try server.admin(), before = try await admin.faceGroup(group)
            let apps = Swift.Set(before.appIDs).union(add.map(\.text)).subtracting(
                remove.map(\.text))
            let changed = try await admin.updateFaceGroup(
                group,
                FaceGroupRequest(
                    name: name ?? before.name, appIDs: apps.sorted(), maxAge: maxAge,
                    version: before.version))
            guard !output.json else { return JSON.print(changed) }
            FaceGroupCommand.show(changed)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "End a group of apps, and erase the faces that they shared.",
            discussion: """
                Without --yes, the command says what goes and deletes nothing.

                EXAMPLE
                  mien admin face-group delete fgr_0c9JkYH2dTq4m8wXzR1aBg --yes
                """)

        @Argument(help: "The group's ID.", transform: Word.faceGroup) var group: FaceGroupID
        @Flag(help: "Delete it.") var yes = false
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin()
            guard yes else {
                let found = try await admin.faceGroup(group)
                throw Failure(
                    .badInput, "face-group.unconfirmed",
                    "nothing was deleted. With “\(found.name.inSentence)” go the shared faces of \(found.people.grouped) \(found.people == 1 ? "person" : "people"). Confirm with --yes"
                )
            }
            try await admin.deleteFaceGroup(group)
            output.tell(["deleted": group.text], "Deleted \(group).")
        }
    }

    private static func show(_ group: FaceGroupAnswer) {
        AdminOutput.sheet([
            ("group", group.id), ("name", group.name.printable),
            ("apps", group.appIDs.joined(separator: ", ")),
            ("maximum age", "\(group.maxAge) s"), ("version", String(group.version)),
            ("people", group.people.grouped), ("created", AdminOutput.time(group.createdAt)),
        ])
    }
}
