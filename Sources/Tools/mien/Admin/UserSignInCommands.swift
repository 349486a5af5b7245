import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

extension UserCommand {
    /// `mien admin user sign-ins`
    struct SignIns: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-ins", abstract: "List a user's sign-ins that have not ended.",
            discussion: """
                EXAMPLE
                  mien admin user sign-ins ada
                """)

        @Argument(help: "The user.") var user: String
        @Option(help: "Start after the sign-in with this ID.") var after: String?
        @OptionGroup var limit: LimitOptions
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(), (id, _) = try await admin.user(meant: user)
            try await limit.show(
                "sign_ins", after: after, output,
                none: "The user has no sign-ins\(after == nil ? "" : " after that one").", id: \.id,
                heading: ["sign-in", "app", "methods", "signed in", "used"],
                row: {
                    [
                        $0.id, ($0.appName ?? $0.appID ?? "a browser").printable,
                        $0.methods.joined(separator: ", "), AdminOutput.time($0.signedInAt),
                        AdminOutput.time($0.usedAt),
                    ]
                }, { try await admin.signIns(of: id, after: $0) })
        }
    }

    /// `mien admin user end-sign-ins`
    struct EndSignIns: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-sign-ins", abstract: "End a user's sign-ins, or one of them.",
            discussion: """
                EXAMPLE
                  mien admin user end-sign-ins ada
                  mien admin user end-sign-ins ada --sign-in grt_0c9JkYH2dTq4m8wXzR1aBg
                """)

        @Argument(help: "The user.") var user: String
        @Option(help: "Only the sign-in with this ID.") var signIn: String?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(), (id, _) = try await admin.user(meant: user)
            if let signIn {
                try await admin.endSignIn(signIn, of: id)
            } else {
                try await admin.endSignIns(of: id)
            }
            if output.json {
                JSON.print(["ended": signIn ?? id.text])
            } else {
                print("Ended \(signIn?.printable ?? "all sign-ins of \(id)").")
            }
        }
    }
}
