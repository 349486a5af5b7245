import ArgumentParser

/// `mien admin …`
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract:
            "Manage a running server: apps, users, organizations, authenticators, faces, identities, the audit log.",
        discussion: """
            The server prints the admin credential on its first start. Save it in a file that only \
            you can read, or set MIEN_ADMIN_CREDENTIAL.

            EXAMPLE
              mien admin user list --credential-file ~/.mien-admin
              MIEN_ADMIN_SERVER=https://admin.example.org:8081 mien admin audit verify
            """,
        subcommands: [
            AppCommand.self, RegistrationTokenCommand.self, UserCommand.self,
            OrganizationCommand.self, AuthenticatorCommand.self,
            ConsentCommand.self,
            FacesCommand.self, FaceGroupCommand.self, VerificationCommand.self,
            RegistryCommand.self, LicenseCommand.self,
            AdministratorCommand.self, AuditCommand.self, MasterKeyCommand.self,
            SettingsCommand.self, MetricsCommand.self, PagesCommand.self,
            TestConnectionCommand.self, MailCommand.self,
        ])
}
