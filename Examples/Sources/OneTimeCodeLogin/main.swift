// Signs in with a one-time code: gets an OTP token for a registration code, stores it under a PIN,
// and answers a journey with its codes, first with a wrong PIN and then with the right one.
//
//     swift run -c release OneTimeCodeLogin
//
// It prints:
//
//     stored a totp token under a PIN
//     wrong PIN: a code of 6 digits, and no error
//     right PIN: a code of 6 digits
//     refused: wrong_code, 2 attempts left
//     signed in, amr otp
//     refused: wrong_code, 2 attempts left
//     the same code again is refused
//
// The program starts a server of its own, with an account for ada, and deletes everything at the
// end. The exit status is 0 after the sign-in, 1 if it is refused, and 2 if the server, the model
// pack, or the disk is at fault.

import Foundation
import MienAPI
import MienClient
import MienCore
import MienDevice
import MienDeviceLinux
import MienKeys

/// Asks for a user name, then for a code, three times.
let journey = """
    {
      "id": "code-login", "version": 1, "title": "Log in with a code", "start": "form",
      "steps": {
        "form": { "type": "login_form", "config": { "branches": [{ "id": "code", "schema": {
            "properties": { "user_identifier": { "type": "string" } }, "required": ["user_identifier"] } }],
            "output_variable": "form" }, "on": { "code": "check" } },
        "check": { "type": "authenticate_otp", "config": { "user_identifier": "form.user_identifier" },
          "on": { "success": "done", "failure": "refused" } },
        "done": { "type": "complete_journey" },
        "refused": { "type": "reject_access" }
      }
    }
    """

/// Gets a token for a registration code, and stores it under `pin`.
func provision(
    _ code: Sensitive<String>, into vault: OTPVault, pin: DevicePIN, from server: LocalServer
) async throws -> String {
    // The vault keeps the key, so a device that crashes here can ask again with the same code.
    guard let key = OTPProvisioningKey(bytes: try await vault.registrationKey(for: code)) else {
        throw MienError(.serverError, "The registration's key is damaged.")
    }
    let token = try await OTPProvisioning(server.options()).redeem(
        code, name: "The example's device", system: "linux", key: key)
    let kind: OTPTokenDefinition.Kind =
        switch token.kind {
        case .totp(let totp): .totp(totp)
        case .hotp(let hotp, let first): .hotp(hotp, firstCounter: first)
        case .cap(let cap, let first): .cap(cap, firstCounter: first)
        }
    try await vault.keep(
        OTPTokenDefinition(
            id: token.id, app: token.app, server: server.address, kind: kind,
            signatureSuite: token.signatureSuite, secret: token.secret), pin: pin)
    return token.id
}

/// Runs the journey with one code after the other.
func signIn(at server: LocalServer, with codes: [OneTimeCode]) async throws -> JourneyOutcome? {
    let journey = try await JourneyClient(server.options()).start("code-login")
    var left = codes[...]
    for try await step in journey.steps {
        if step.id == .loginForm {
            try await step.respond("code", ["user_identifier": .string(server.user)])
            continue
        }
        if let error = step.data?["error"]?["code"]?.stringValue,
            let attempts = step.data?["attempts_left"]?.numberValue
        {
            print("refused: \(error), \(Int(attempts)) attempts left")
        }
        guard let code = left.popFirst() else {
            try await step.respond(.cancel)
            continue
        }
        try await step.respond(.clientInput, ["passcode": .string(code.text)])
    }
    return await journey.outcome()
}

func run(in folder: URL) async throws -> Int32 {
    let device = folder.appending(path: "device").path
    // The device is bound to the machine ID here. With a TPM, pass it.
    let vault = OTPVault(
        folder: "\(device)/tokens", keyPath: "\(device)/device.key",
        generationFolder: "\(device)/state", tpm: nil,
        now: { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) })
    var status: Int32 = 1
    try await LocalServer.run(in: folder.appending(path: "server")) { server in
        guard let journeyID = JourneyID("code-login"), let app = AppID(server.app) else { return }
        _ = try await server.admin.putJourney(
            journeyID, version: 1, definition: Array(journey.utf8))
        _ = try await server.admin.publishJourney(journeyID, version: 1)

        // The user sees the registration code on a page where they have signed in, or gets it from
        // an administrator.
        let offer = try await server.admin.offerToken(to: server.id, app: app)
        let token = try await provision(
            Sensitive(offer.registrationCode), into: vault, pin: DevicePIN(Sensitive("4711")),
            from: server)
        print("stored a \(try await vault.token(token).kind.rawValue) token under a PIN")

        // The device cannot tell a wrong PIN from the right one: only the server can, and it counts.
        let wrong = try await vault.code(of: token, with: .pin(PINInput(Sensitive("1147"))))
        print("wrong PIN: a code of \(wrong.text.count) digits, and no error")
        let code = try await vault.code(of: token, with: .pin(PINInput(Sensitive("4711"))))
        print("right PIN: a code of \(code.text.count) digits")
        let outcome = try await signIn(at: server, with: [wrong, code])
        guard case .success(let proof) = outcome else { return print("refused") }
        print("signed in, amr \(try LocalServer.methods(in: proof))")
        status = 0

        // The server accepts each code once.
        if case .success = try await signIn(at: server, with: [code]) {
            status = 1
        } else {
            print("the same code again is refused")
        }
    }
    return status
}

let folder = FileManager.default.temporaryDirectory.appending(
    path: "code-login-\(UUID().uuidString)", directoryHint: .isDirectory)
var status: Int32 = 2
do {
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    status = try await run(in: folder)
} catch { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
try? FileManager.default.removeItem(at: folder)
exit(status)
