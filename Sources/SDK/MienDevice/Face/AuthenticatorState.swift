package import Crypto
package import Foundation
internal import MienAPI
internal import MienCore
package import MienKeys
package import MienVault

/// The state of a device's PIN and of the people whose faces may open keys and tokens. It is stored
/// sealed under the device's key file and never printed.
///
/// It holds no face. A person's template is in the store of ``FaceAuthService``; here is only the
/// hash of the one that the PIN has confirmed, or of the one that a migration to another model pack
/// has put in its place. Replacing the stored template in any other way therefore opens nothing.
package struct AuthenticatorState: Sendable {
    /// The PIN's hash and its guess counter.
    package struct Passcode: Codable, Sendable {
        /// The hash with its salt and cost, see ``PINHasher``.
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

    /// One person: the confirmed enrollment, and the keys that it opens.
    package struct Person: Codable, Sendable {
        package private(set) var generation: EnrollmentGeneration
        /// SHA-256 of the confirmed template; `nil` without one. It names the enrollment and stays
        /// the same when the template is migrated, so keys and tokens are bound to it.
        package private(set) var enrollment: Data?
        /// SHA-256 of the template that a migration has put in the confirmed one's place.
        private(set) var migrated: Data?
        /// SHA-256 of a template that a migration is storing.
        private(set) var migrating: Data?
        /// SHA-256 of a template that the PIN has confirmed and that is being stored.
        private(set) var pending: Data?
        package var faceFailures = 0
        /// The X25519 private keys, by constraint.
        private var keys: [String: Data]

        init(random: RandomSource) {
            (generation, keys) = (Self.newGeneration(random), [:])
            for constraint in BiometricAccessConstraint.allCases {
                renewKey(for: constraint, random)
            }
        }

        package var isLockedOut: Bool { faceFailures >= AuthenticatorState.maxFaceFailures }

        /// Announces a template before it is stored.
        mutating func announce(_ enrollment: [UInt8]) { pending = Data(enrollment) }

        /// Confirms a template, or none. Every change of the enrollment goes through this function.
        mutating func confirm(_ enrollment: [UInt8]?, _ random: RandomSource) {
            (self.enrollment, pending, faceFailures) = (enrollment.map { Data($0) }, nil, 0)
            (migrated, migrating) = (nil, nil)
            generation = Self.newGeneration(random)
            renewKey(for: .biometryCurrentSet, random)
        }

        /// Whether the stored template is the one that opens keys and tokens.
        func confirms(_ template: [UInt8]) -> Bool {
            enrollment != nil && (migrated ?? enrollment) == Data(template)
        }

        /// Announces a template that is to take the place of the confirmed one, before it is stored.
        mutating func announceMigration(to template: [UInt8]) { migrating = Data(template) }

        /// Completes an announced migration. The enrollment, its generation, and its keys stay.
        mutating func completeMigration(to template: [UInt8]) {
            guard enrollment != nil, migrating == Data(template) else { return }
            (migrated, migrating) = (Data(template), nil)
        }

        /// Whether an interrupted enrollment or migration may have to be completed.
        var isUnsettled: Bool { pending != nil || migrating != nil }

        /// Completes what was announced for the template that is stored now, if anything was.
        mutating func settle(_ stored: [UInt8], _ random: RandomSource) {
            if pending == Data(stored) {
                confirm(stored, random)
            } else {
                completeMigration(to: stored)
            }
        }

        /// - Throws: ``DeviceError`` `.storage` if the state contains no such key.
        package func key(for constraint: BiometricAccessConstraint) throws(DeviceError)
            -> Curve25519.KeyAgreement.PrivateKey
        {
            guard let bytes = keys[constraint.rawValue],
                let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            else {
                throw DeviceError(
                    .storage,
                    "The authenticator's state contains no key for \(constraint.rawValue). Reset it."
                )
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

    /// The number of wrong faces in a row after which the passcode is required.
    static let maxFaceFailures = 5
    /// Five wrong PINs lock for a minute before each further guess; after 20, only a reset helps.
    /// This allows 20 guesses at 10,000 PINs.
    static let passcodePolicy = try! LockPolicy(
        failedAttempts: 5, lockoutSeconds: 60, disableAfter: 20)
    static let maxPeople = 1000

    package var passcode: Passcode?
    /// By the name's key, under which its spellings are equal.
    private var people: [String: Person] = [:]

    init() {}

    package subscript(_ name: PersonName) -> Person? { people[name.key] }

    /// Changes a person's part and creates it first if it is missing.
    package mutating func change<T>(
        _ name: PersonName, _ random: RandomSource, _ body: (inout Person) throws -> T
    ) throws -> T {
        var person: Person
        if let known = people[name.key] {
            person = known
        } else {
            guard people.count < Self.maxPeople else {
                throw DeviceError(
                    .storage, "This device already knows \(Self.maxPeople) people. Reset it.")
            }
            person = Person(random: random)
        }
        let result = try body(&person)
        people[name.key] = person
        return result
    }

    /// Forgets that a person's face was confirmed. Does nothing for one without a confirmation.
    mutating func revoke(_ name: PersonName, _ random: RandomSource) {
        guard var person = people[name.key], person.enrollment != nil || person.pending != nil
        else { return }
        person.confirm(nil, random)
        people[name.key] = person
    }
}

extension AuthenticatorState: Codable {
    private static let version = 2

    private enum CodingKeys: CodingKey { case version, passcode, people }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let version = try values.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: values, debugDescription: "version \(version)")
        }
        passcode = try values.decodeIfPresent(Passcode.self, forKey: .passcode)
        people = try values.decode([String: Person].self, forKey: .people)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.version, forKey: .version)
        try values.encodeIfPresent(passcode, forKey: .passcode)
        try values.encode(people, forKey: .people)
    }
}

extension AuthenticatorState: CustomReflectable, CustomStringConvertible {
    package var customMirror: Mirror { Mirror(self, children: []) }
    package var description: String { "‹authenticator state›" }
}

extension AuthenticatorState.Person: CustomReflectable, CustomStringConvertible {
    package var customMirror: Mirror { Mirror(self, children: []) }
    package var description: String { "‹person›" }
}
