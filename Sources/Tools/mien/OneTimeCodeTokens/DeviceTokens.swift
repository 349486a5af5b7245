import ArgumentParser
import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienHardware
import MienModels
import MienTools

/// This machine's OTP tokens.
enum DeviceTokens {
    /// The tokens in `$MIEN_HOME/tokens`, sealed with `$MIEN_HOME/device.key`. The counter that
    /// detects restored backups is kept in the TPM, or else in a folder that backups leave out.
    static func vault() throws -> OTPVault {
        let home = MienHome.current.folder,
            environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        let state =
            environment["XDG_STATE_HOME"]
            ?? "\(environment["HOME"] ?? NSHomeDirectory())/.local/state"
        TPM.quietLibrary()
        return OTPVault(
            folder: home.appending(path: "tokens").path,
            keyPath: home.appending(path: "device.key").path, generationFolder: "\(state)/mien",
            tpm: TPM(address: environment["MIEN_TPM"] ?? TPM.defaultAddress),
            integrity: try Integrity.policy(), now: LocalFaces.now)
    }
}

extension DeviceTokens {
    /// Deletes all tokens, and then the counts of failed face attempts, because no token is left
    /// that a face could unlock.
    static func reset() async throws {
        try await vault().reset()
        try await DeviceFaces.service().forgetAttempts()
    }
}

/// Selects one of this device's tokens.
struct OTPTokenOptions: ParsableArguments {
    @Argument(
        help:
            "The token: its ID, or its app's ID if the app has one token. May be omitted if the device has only one."
    )
    var token: String?

    func find(in vault: OTPVault) async throws -> OTPTokenInfo {
        let tokens = try await vault.tokens()
        let meant = token.map { wanted in
            let named = tokens.filter { $0.id == wanted }
            return named.isEmpty ? tokens.filter { $0.app == wanted } : named
        }
        let found = meant ?? tokens
        switch (found.count, token) {
        case (1, _): return found[0]
        case (0, _):
            throw OTPTokenError(
                .unknown, "this device has no such token; mien token list shows the tokens")
        case (_, let wanted):
            throw Failure(
                .badInput, "token.ambiguous",
                "\(wanted.map { "the app “\($0)” has several tokens" } ?? "this device has several tokens"): name one by its ID (mien token list)"
            )
        }
    }
}

extension OTPTokenInfo {
    /// - Throws: ``OTPTokenError`` `.notCAP`, before anybody types a PIN.
    func requireCard() throws(OTPTokenError) {
        guard kind == .cap else {
            throw OTPTokenError(
                .notCAP,
                "only a CAP token answers challenges and signs numbers; token \(id) is \(kind.rawValue)"
            )
        }
    }
}

/// A token in the output of `--json`.
struct OTPTokenOutput: Encodable {
    let id, appId, kind: String
    let server: String?
    let digits: Int
    /// Milliseconds since 1970.
    let createdAt: Int64
    let multiAuth, face, restored: Bool

    init(_ token: OTPTokenInfo) {
        (id, appId, kind, server, digits) = (
            token.id, token.app, token.kind.rawValue, token.server, token.digits
        )
        (multiAuth, face, restored) = (
            token.isMultiAuthModeEnabled, token.isFaceModeActive, token.isRestored
        )
        createdAt = token.createdAt.milliseconds
    }

    /// How the token can be unlocked, for a table.
    var modes: String {
        restored ? "restored: unusable" : face ? "PIN, face" : multiAuth ? "PIN, multi" : "PIN"
    }
}
