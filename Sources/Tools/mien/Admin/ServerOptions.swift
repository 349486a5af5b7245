import ArgumentParser
import Foundation
import Logging
import MienClient
import MienCore
import MienTools

/// The admin API's address and credential. The credential is never an argument, because every user
/// of the machine can read arguments.
struct ServerOptions: ParsableArguments {
    static let defaultServer = MienAdmin.defaultServerPath

    @Option(
        help: ArgumentHelp(
            "The address of the server's admin API (default: $MIEN_ADMIN_SERVER, the address in $MIEN_ADMIN_LISTEN, or \(defaultServer)).",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with the admin credential that only its owner can read (default: use $MIEN_ADMIN_CREDENTIAL).",
            valueName: "file"))
    var credentialFile: String?

    @OptionGroup var authorities: AuthorityOptions

    /// - Throws: ``Failure`` when the credential is missing or the address is invalid.
    func admin() throws -> MienAdmin {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        let address =
            try server ?? environment["MIEN_ADMIN_SERVER"] ?? LocalServer.adminAddress(environment)
            ?? Self.defaultServer
        let options = MienOptions(
            serverPath: address, logLevel: .error, retry: RetryPolicy(attempts: 2),
            transport: try authorities.transport())
        return try MienAdmin(options, credential: try credential(environment))
    }

    private func credential(_ environment: [String: String]) throws -> Sensitive<String> {
        if let credentialFile { return try CredentialFile.read(credentialFile) }
        guard let text = environment["MIEN_ADMIN_CREDENTIAL"] else {
            throw Failure(
                .notSetUp, "credential.missing",
                "no admin credential: set MIEN_ADMIN_CREDENTIAL, or name a file with --credential-file. The server printed the credential on its first start"
            )
        }
        return try CredentialFile.credential(text, from: "MIEN_ADMIN_CREDENTIAL")
    }
}
