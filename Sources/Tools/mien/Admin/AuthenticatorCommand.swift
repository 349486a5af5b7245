import ArgumentParser
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTools

/// `mien admin authenticator …`
struct AuthenticatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authenticator",
        abstract:
            "Manage what users sign in with: passwords, faces, devices, OTP tokens, email codes.",
        discussion: """
            Name an authenticator by its ID or, if the user has only one of that type, by its type.

            EXAMPLE
              mien admin authenticator list ada
              mien admin authenticator unlock ada face
            """,
        subcommands: [List.self, Unlock.self, Lock.self, Remove.self, OfferOTPToken.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List a user's authenticators and whether they are locked.",
            discussion: """
                EXAMPLE
                  mien admin authenticator list ada
                """)

        @Argument(help: "The user: ID, user name, email address, or external ID.") var user: String
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let admin = try server.admin(),
                found = try await admin.authenticators(of: admin.user(meant: user).id)
            guard !output.json else { return JSON.print(["authenticators": found]) }
            if found.isEmpty { print("\(user.inSentence) has no authenticators.") }
            let rows = found.map {
                let lock = $0.lockedUntil.map { " until \(AdminOutput.time($0))" } ?? ""
                let holder = $0.lockedBy.map { " by \($0)" } ?? ""
                return [
                    $0.id, $0.type.rawValue, $0.appID ?? "", "\($0.lock)\(holder)\(lock)",
                    "\($0.failures)",
                    "\($0.totalFailures)", AdminOutput.time($0.updatedAt),
                ]
            }
            if !rows.isEmpty {
                print(
                    Terminal.table(
                        rows,
                        heading: ["id", "type", "app", "lock", "failures", "total", "changed"],
                        rightAligned: [4, 5]))
            }
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlock",
            abstract: "Unlock an authenticator and reset its count of failures.",
            discussion: """
                EXAMPLE
                  mien admin authenticator unlock ada face
                """)

        @OptionGroup var target: AuthenticatorOptions

        func run() async throws {
            try await target.act("unlocked") { try await $0.unlock($1, of: $2) }
        }
    }

    struct Lock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lock", abstract: "Lock an authenticator until it is unlocked.",
            discussion: """
                EXAMPLE
                  mien admin authenticator lock ada face
                """)

        @OptionGroup var target: AuthenticatorOptions

        func run() async throws { try await target.act("locked") { try await $0.lock($1, of: $2) } }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an authenticator. The template of a face is erased.",
            discussion: """
                EXAMPLE
                  mien admin authenticator remove ada face
                """)

        @OptionGroup var target: AuthenticatorOptions

        func run() async throws {
            try await target.act("removed") { try await $0.removeAuthenticator($1, of: $2) }
        }
    }

    struct OfferOTPToken: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "offer-token",
            abstract:
                "Create a registration code, which gets a user's device an OTP token.",
            discussion: """
                The code is valid for ten minutes and can be used once. Anyone who has it gets the OTP \
                token, so show it only to the user.

                EXAMPLE
                  mien admin authenticator offer-token ada shop --digits 8
                """)

        @Argument(help: "The user: ID, user name, email address, or external ID.") var user: String
        @Argument(help: ArgumentHelp("The app's ID.", valueName: "app"), transform: Word.app)
        var app: AppID
        @Option(
            help: ArgumentHelp(
                "Time-based or counter-based codes, or those of a card (EMV CAP).",
                valueName: "totp|hotp|cap"),
            transform: { try Word.choice($0, for: "--kind") })
        var kind = OTPKind.totp
        @Option(
            help: ArgumentHelp(
                "Digits of a code, 6 to 10; with cap, 8 to 10 (default: the fewest).",
                valueName: "n"))
        var digits: Int?
        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            let allowed = kind.digitCounts, wanted = digits ?? kind.standardDigits
            guard allowed.contains(wanted) else {
                throw ValidationError(
                    "--digits must be \(allowed.lowerBound) to \(allowed.upperBound) with --kind \(kind.rawValue), not \(wanted)"
                )
            }
        }

        func run() async throws {
            let admin = try server.admin(),
                wanted = OTPRegistrationRequest(kind: kind, digits: digits)
            let offered = try await admin.offerToken(
                to: admin.user(meant: user).id, app: app, wanted)
            if output.json {
                JSON.print(offered)
            } else {
                print(
                    "\(offered.registrationCode.printable)\nSingle-use, valid until \(AdminOutput.time(offered.expiresAt))."
                )
            }
        }
    }
}

/// One authenticator of one user.
struct AuthenticatorOptions: ParsableArguments {
    @Argument(help: "The user: ID, user name, email address, or external ID.") var user: String
    @Argument(help: ArgumentHelp("The authenticator's ID, or its type: \(types).", valueName: "id"))
    var authenticator: String
    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    private static var types: String {
        AuthenticatorType.allCases.map(\.rawValue).joined(separator: ", ")
    }

    /// - Parameter done: the past participle of what was done with it.
    func act(_ done: String, _ action: (MienAdmin, AuthenticatorID, UserID) async throws -> Void)
        async throws
    {
        let admin = try server.admin(), user = try await admin.user(meant: user).id
        let (id, found) = try await admin.authenticator(meant: authenticator, of: user)
        try await action(admin, id, user)
        if output.json {
            JSON.print([done: id.text])
        } else {
            print("\(done.capitalized) \(found.type.rawValue.printable) (\(id)) of \(user).")
        }
    }
}
