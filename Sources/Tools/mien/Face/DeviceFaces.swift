import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienModels
import MienTools
import MienVault

/// The people enrolled on this machine, as one service for recognition and tokens.
enum DeviceFaces {
    /// The faces are in `$MIEN_HOME/faces`; the device's PIN, the confirmations, and the counts of
    /// failed attempts in `$MIEN_HOME/face`, sealed with `$MIEN_HOME/device.key`.
    ///
    /// - Parameter formerPacks: See ``formerPacks(beside:_:of:)``.
    static func service(_ packID: PackID, formerPacks: [FormerFacePack] = []) throws
        -> FaceAuthService
    {
        let home = MienHome.current.folder, policy = try Integrity.policy()
        try policy.check()
        return FaceAuthService(
            folder: home.appending(path: "face").path,
            keyPath: home.appending(path: "device.key").path, packID: packID,
            formerPacks: formerPacks, tpm: nil, people: try MienHome.current.openStore(),
            faceModes: try DeviceTokens.vault(),
            integrity: policy)
    }

    /// The packs that enrolled people before `pack` was in use. With them, a live capture recognizes
    /// these people and migrates them.
    ///
    /// - Parameter person: Only the pack of this person; `nil` for those of all.
    /// - Returns: Nothing if a pack was named, because then no other is used, or if `pack` is not
    ///   installed.
    static func formerPacks(
        beside pack: PackID, _ options: EngineOptions, of person: PersonName? = nil
    ) throws -> [FormerFacePack] {
        guard options.isInstalled(pack) else { return [] }
        let store = try MienHome.current.openStore()
        let people =
            try person.map { [try store.find($0)].compactMap(\.self) } ?? store.list().faces
        let others = Set(people.map(\.template.packID)).filter {
            $0 != pack && options.pack(for: $0) == $0
        }
        return try others.sorted { $0.text < $1.text }.map { id in
            let loaded = try PackLibrary(folder: options.home.packs).pack(id)
            return FormerFacePack(
                packID: id, matcher: try loaded.matcher(), reader: try options.loadEngine(loaded))
        }
    }

    /// Says what became of a template of another pack. On a terminal, asks for the device's PIN where
    /// only that allows the change.
    static func report(_ migration: FaceMigrationNotice, _ service: FaceAuthService) async {
        func say(_ notice: FaceMigrationNotice) {
            let name = notice.person.text, (old, new) = (notice.from.text, notice.to.text)
            switch notice.outcome {
            case .migrated(_, let keptUntil):
                let date = Date(timeIntervalSince1970: Double(keptUntil.seconds))
                    .formatted(Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day())
                Terminal.warn(
                    "mien: from now on, “\(name.inSentence)” is recognized with \(new); the template of \(old) is erased after \(date). If that was not you, remove the face: mien face remove “\(name)”"
                )
            case .waiting:
                Terminal.warn(
                    "mien: recognized with \(old), with a score below \(String.decimal(TemplateMigration.minScore.value)), which is too low to change to \(new) without the device's PIN"
                )
            case .failed:
                Terminal.warn(
                    "mien: the change from \(old) to \(new) could not be stored; the next capture tries again"
                )
            }
        }
        say(migration)
        var input = SecretInput()
        guard migration.outcome == .waiting, input.isTerminal,
            let pin = try? input.next("device PIN to change now, or Enter to go on")
        else { return }
        do {
            if let done = try await service.confirmMigration(of: migration.person, pin: pin) {
                say(done)
            }
        } catch { Terminal.warn("mien: nothing was changed: \(Failure(error).message)") }
    }

    /// For work that compares no faces, so the pack does not matter.
    static func service() throws -> FaceAuthService { try service(PackID("none")) }

    private static let maxTries = 3

    /// A PIN that a person typed before a capture.
    struct TypedPIN {
        let digits: Sensitive<String>
        /// The PIN to set, on a device without one. Set it once the capture has succeeded.
        let new: DevicePIN?
    }

    /// Asks for the device's PIN, or for a new one if there is none, and checks it, so that a wrong
    /// one does not waste a capture. On a terminal, a wrong one is asked for again.
    static func askPIN(_ service: FaceAuthService) async throws -> TypedPIN {
        var input = SecretInput()
        guard try await service.isPINSet() else {
            let new = try input.new("new device PIN, 4 to 12 digits")
            return TypedPIN(digits: new, new: try OTPTokenProvisionCommand.chosen(new))
        }
        var triesLeft = maxTries
        while true {
            let typed = try input.next("device PIN")
            triesLeft -= 1
            do {
                try await service.checkPIN(typed)
                return TypedPIN(digits: typed, new: nil)
            } catch let error as DeviceError
                where error.code == .wrongPasscode && triesLeft > 0 && input.isTerminal
            {
                Terminal.warn("The PIN is wrong.")
            }
        }
    }
}
