internal import Crypto
internal import Foundation
internal import MienAccess
internal import MienCore
internal import MienKeys
internal import MienSealing

/// The face authenticator's state. It is stored sealed under the device's key file and never
/// printed.
struct AuthenticatorState: Codable, Sendable {
    /// The PIN's hash and its guess counter.
    struct Passcode: Codable, Sendable {
        /// The Argon2id hash in the format of the reference library.
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

    /// The number of wrong faces in a row after which the passcode is required.
    static let maxFaceFailures = 5
    /// Five wrong PINs lock for a minute before each further guess; after 20, only a reset helps.
    /// This allows 20 guesses at 10,000 PINs.
    static let passcodePolicy = try! LockPolicy(
        failedAttempts: 5, lockoutSeconds: 60, disableAfter: 20)

    private(set) var generation: EnrollmentGeneration
    /// The template's `FaceTemplate.bytes`.
    private(set) var face: Data?
    var faceFailures = 0
    var passcode: Passcode?
    /// The X25519 private keys, by constraint.
    private var keys: [String: Data]

    init(random: RandomSource) {
        (generation, keys) = (Self.newGeneration(random), [:])
        for constraint in BiometricAccessConstraint.allCases { renewKey(for: constraint, random) }
    }

    var isFaceLockedOut: Bool { faceFailures >= Self.maxFaceFailures }

    /// Replaces the enrolled face. Every change of the enrollment goes through this function.
    mutating func enroll(_ face: [UInt8]?, _ random: RandomSource) {
        (self.face, faceFailures, generation) = (
            face.map { Data($0) }, 0, Self.newGeneration(random)
        )
        renewKey(for: .biometryCurrentSet, random)
    }

    /// - Throws: ``DeviceError`` `.storage` if the state contains no such key.
    func key(for constraint: BiometricAccessConstraint) throws(DeviceError)
        -> Curve25519.KeyAgreement.PrivateKey
    {
        guard let bytes = keys[constraint.rawValue],
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        else {
            throw DeviceError(
                .storage,
                "The authenticator's state contains no key for \(constraint.rawValue). Reset it.")
        }
        return key
    }

    private mutating func renewKey(
        for constraint: BiometricAccessConstraint, _ random: RandomSource
    ) {
        keys[constraint.rawValue] = Data(random.bytes(32))
    }

    private static func newGeneration(_ random: RandomSource) -> EnrollmentGeneration {
        EnrollmentGeneration(bytes: random.bytes(16))
    }
}

extension AuthenticatorState: CustomReflectable, CustomStringConvertible {
    var customMirror: Mirror { Mirror(self, children: []) }
    var description: String { "‹authenticator state›" }
}
