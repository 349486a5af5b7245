import Foundation
import MienCommandSupport
import MienCore
import MienDevice
import MienDeviceLinux
import MienKeys
import MienModels
import MienVault

/// The people enrolled on this machine, as one service for recognition and tokens.
enum DeviceFaces {
    /// The faces are in `$MIEN_HOME/faces`; the device's PIN, the confirmations, and the counts of
    /// failed attempts in `$MIEN_HOME/face`, sealed with `$MIEN_HOME/device.key`.
    static func service(_ packID: PackID) throws -> FaceAuthService {
        let home = MienHome.current.folder, policy = try Integrity.policy()
        try policy.check()
        return FaceAuthService(
            folder: home.appending(path: "face").path,
            keyPath: home.appending(path: "device.key").path, packID: packID, tpm: nil,
            people: try MienHome.current.openStore(), faceModes: try DeviceTokens.vault(),
            integrity: policy)
    }

    /// For work that compares no faces, so the pack does not matter.
    static func service() throws -> FaceAuthService { try service(PackID("none")) }

    private static let maxTries = 3

    /// Asks for the device's PIN, or for a new one if there is none, and passes it on. On a
    /// terminal, a wrong one is asked for again.
    static func confirm(
        _ service: FaceAuthService, _ body: (Sensitive<String>) async throws -> Void
    ) async throws {
        var input = SecretInput()
        if try await !service.isPINSet() {
            let new = try input.new("new device PIN, 4 to 12 digits")
            try await service.setPIN(OTPTokenProvisionCommand.chosen(new))
            return try await body(new)
        }
        for triesLeft in stride(from: maxTries, through: 1, by: -1) {
            do { return try await body(try input.next("device PIN")) } catch let error
                as DeviceError
                where error.code == .wrongPasscode && triesLeft > 1 && input.isTerminal
            {
                Terminal.warn("The PIN is wrong.")
            }
        }
    }
}
