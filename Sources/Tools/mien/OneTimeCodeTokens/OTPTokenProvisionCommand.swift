import ArgumentParser
import Foundation
import Logging
import MienClient
import MienCore
import MienDevice
import MienDeviceLinux
import MienKeys
import MienTools

/// `mien token provision`
struct OTPTokenProvisionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision",
        abstract: "Get a token for a registration code and protect it with a PIN.",
        discussion: """
            Asks for the registration code, which is single-use and valid for ten minutes, then for \
            the new PIN: 4 to 12 digits, which may be neither all the same nor a sequence. If the \
            response is lost or this program is interrupted, run the same command with the same code to \
            get the same token.

            EXAMPLE
              mien token provision --server https://login.example.org
              printf '%s\\n%s\\n' "$CODE" "$PIN" | mien token provision --name "Ada's desk" --json
            """)

    static let defaultServer = "http://127.0.0.1:8080"

    @Option(
        help: ArgumentHelp(
            "The server's address (default: $MIEN_SERVER, $MIEN_PUBLIC_URL, the address in $MIEN_HOST and $MIEN_PORT, or \(Self.defaultServer)).",
            valueName: "url"))
    var server: String?
    @Option(help: "This device's name on the server, 1 to 64 characters.") var name = "this device"
    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        let address =
            try server ?? environment["MIEN_SERVER"] ?? LocalServer.publicAddress(environment)
            ?? Self.defaultServer
        let provisioning = try OTPProvisioning(
            MienOptions(
                serverPath: address, logLevel: .error, transport: try authorities.transport()))
        var input = SecretInput()
        let code = try input.next("registration code"), pin = try Self.chosen(input.new("new PIN"))
        let vault = try DeviceTokens.vault()
        // Saved before the code is used up.
        guard let key = OTPProvisioningKey(bytes: try await vault.registrationKey(for: code)) else {
            throw OTPTokenError(
                .storage,
                "the registration's key is damaged. Wait ten minutes, then request another code")
        }
        let token = try await redeemed(code, key, provisioning)
        try await vault.keep(OTPTokenDefinition(token, server: address), pin: pin)
        let kept = try await vault.token(token.id)
        if output.json {
            JSON.print(OTPTokenOutput(kept))
        } else {
            print(
                "Saved token \(kept.id.printable) of \(kept.app.printable), protected by the PIN.")
        }
    }

    private func redeemed(
        _ code: Sensitive<String>, _ key: OTPProvisioningKey, _ provisioning: OTPProvisioning
    ) async throws -> OTPProvisionedToken {
        do {
            return try await provisioning.redeem(code, name: name, system: "linux", key: key)
        } catch let error as MienError {
            guard error.code == .invalidCredentials else { throw error }
            throw Failure(
                .badInput, "token.code-refused",
                "the registration code is invalid, expired, or already used. Request a new one"
            )
        }
    }

    /// - Throws: ``Failure`` that explains the rules for PINs.
    static func chosen(_ digits: Sensitive<String>) throws -> DevicePIN {
        do { return try DevicePIN(digits) } catch {
            throw Failure(
                .badInput, "token.weak-pin", error.reason.replacing("passcode", with: "PIN"))
        }
    }
}

extension OTPTokenDefinition {
    init(_ token: OTPProvisionedToken, server: String) throws {
        let kind: Kind =
            switch token.kind {
            case .totp(let totp): .totp(totp)
            case .hotp(let hotp, let first): .hotp(hotp, firstCounter: first)
            case .cap(let cap, let first): .cap(cap, firstCounter: first)
            }
        try self.init(
            id: token.id, app: token.app, server: server, kind: kind,
            signatureSuite: token.signatureSuite, secret: token.secret)
    }
}
