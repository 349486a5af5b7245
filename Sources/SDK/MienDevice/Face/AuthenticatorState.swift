#if canImport(MienTPM)
internal import Crypto
internal import Foundation
internal import MienAccess
internal import MienCore
internal import MienKeys
internal import MienVault

/// What the face authenticator remembers. At rest it is sealed under the device's key file; it
/// never prints.
struct AuthenticatorState: Codable, Sendable {
    /// The PIN's hash and its count of guesses.
    struct Passcode: Codable, Sendable {
        /// Argon2id, in its reference library's form.
        var hash: String
        var failures = 0
        var lockedUntil: Instant?
        var isDisabled = false

        var counter: LockCounter {
            get {
                LockCounter(failures: failures, lockedUntil: lockedUntil, isDisabled: isDisabled)
            }
            set {
                (failures, lockedUntil, isDisabled) = (
                    newValue.failures, newValue.lockedUntil, newValue.isDisabled
                )
            }
        }
    }

    /// Faces in a row that may be wrong before the passcode is asked for.
    static let maxFaceFailures = 5
    /// Five wrong PINs, then a minute before each further one; after 20 only a reset helps: 20
    /// guesses at 10,000 PINs.
    static let passcodePolicy = try! LockPolicy(
        failedAttempts: 5, lockoutSeconds: 60, disableAfter: 20)

    private(set) var generation: EnrolmentGeneration
    /// `FaceTemplate.bytes`.
    private(set) var face: Data?
    var faceFailures = 0
    var passcode: Passcode?
    /// X25519 private keys, by constraint.
    private var keys: [String: Data]

    init(random: RandomSource) {
        (generation, keys) = (Self.newGeneration(random), [:])
        for constraint in BiometricAccessConstraint.allCases { renewKey(for: constraint, random) }
    }

    var isFaceLockedOut: Bool { faceFailures >= Self.maxFaceFailures }

    /// Every change of what is enrolled goes through here.
    mutating func enrol(_ face: [UInt8]?, _ random: RandomSource) {
        (self.face, faceFailures, generation) = (
            face.map { Data($0) }, 0, Self.newGeneration(random)
        )
        renewKey(for: .biometryCurrentSet, random)
    }

    /// - Throws: ``DeviceError`` `.storage` when the state holds no such key.
    func key(for constraint: BiometricAccessConstraint) throws(DeviceError)
        -> Curve25519.KeyAgreement.PrivateKey
    {
        guard let bytes = keys[constraint.rawValue],
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        else {
            throw DeviceError(
                .storage,
                "the authenticator's state holds no key for \(constraint.rawValue); reset it")
        }
        return key
    }

    private mutating func renewKey(
        for constraint: BiometricAccessConstraint, _ random: RandomSource
    ) {
        keys[constraint.rawValue] = Data(random.bytes(32))
    }

    private static func newGeneration(_ random: RandomSource) -> EnrolmentGeneration {
        EnrolmentGeneration(bytes: random.bytes(16))
    }
}

extension AuthenticatorState: CustomReflectable, CustomStringConvertible {
    var customMirror: Mirror { Mirror(self, children: []) }
    var description: String { "‹authenticator state›" }
}
#endif
