import ArgumentParser
import Foundation
import MienCore
import MienDevice
import MienFace
import MienModels
import MienTPM

/// This machine's tokens.
enum DeviceTokens {
    /// In `$MIEN_HOME/tokens`, under `$MIEN_HOME/device.key`. What recognises backups is kept
    /// elsewhere: in the TPM, or where state is kept that none takes.
    static func vault() -> OTPVault {
        let home = MienHomeFolder.current.folder,
            environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        let state =
            environment["XDG_STATE_HOME"]
            ?? "\(environment["HOME"] ?? NSHomeDirectory())/.local/state"
        TPM.quietLibrary()
        return OTPVault(
            folder: home.appending(path: "tokens").path,
            keyPath: home.appending(path: "device.key").path, generationFolder: "\(state)/mien",
            tpm: TPM(address: environment["MIEN_TPM"] ?? TPM.defaultAddress), now: LocalFaces.now)
    }
}

extension DeviceTokens {
    /// Looks at faces for them, and counts the looks in `$MIEN_HOME/face`. The faces themselves are
    /// where `mien face` keeps them.
    static func faces(_ packID: PackID) -> FaceAuthService {
        let home = MienHomeFolder.current.folder
        return FaceAuthService(
            folder: home.appending(path: "face").path,
            keyPath: home.appending(path: "device.key").path, packID: packID, tpm: nil,
            faceModes: vault())
    }

    /// Forgets all tokens, and then how often faces were looked at in vain: there is nothing left
    /// that they could open.
    static func reset() async throws {
        try await vault().reset()
        // No face is kept there, so the pack does not matter.
        try await faces(PackID("none")).reset()
    }
}

/// Which of this device's tokens.
struct OTPTokenOptions: ParsableArguments {
    @Argument(
        help:
            "The token: its id, or its app's when there is one of that app. Left out when the device has but one."
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
                .unknown, "this device has no such token; mien token list shows those there are")
        case (_, let wanted):
            throw Failure(
                .badInput, "token.ambiguous",
                "\(wanted.map { "several tokens are of the app “\($0)”" } ?? "this device has several tokens"): name one by its id (mien token list)"
            )
        }
    }
}

/// A token in `--json`.
struct OTPTokenOutput: Encodable {
    let id, app, kind, created: String
    let server: String?
    let digits: Int
    let multiAuth, face, restored: Bool

    init(_ token: OTPTokenInfo) {
        (id, app, kind, server, digits) = (
            token.id, token.app, token.kind.rawValue, token.server, token.digits
        )
        (multiAuth, face, restored) = (
            token.isMultiAuthModeEnabled, token.isFaceModeActive, token.isRestored
        )
        created = Date(timeIntervalSince1970: Double(token.createdAt.milliseconds) / 1000)
            .formatted(.iso8601)
    }

    /// What may be said of it in a table.
    var modes: String {
        restored ? "restored: of no use" : face ? "PIN, face" : multiAuth ? "PIN, multi" : "PIN"
    }
}
