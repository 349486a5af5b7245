public import MienKeys

/// Verification of Apple App Attest: an app's key is in the Secure Enclave of a genuine device and
/// belongs to this app, unmodified as far as Apple can tell.
///
/// The attestation says nothing about the user: such a key signs without a finger or a face
/// (docs/facts.md §6, docs/spec/attestation.md).
public enum AppAttest {
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        case production, development

        /// 16 bytes: ASCII, padded with zeros.
        var aaguid: [UInt8] {
            switch self {
            case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
            case .development: Array("appattestdevelop".utf8)
            }
        }
    }

    /// Team and bundle, as Apple concatenates them: `ABCDE12345.org.example.app`.
    public struct AppID: Sendable, Hashable {
        public let team, bundle: String

        public init(team: String, bundle: String) { (self.team, self.bundle) = (team, bundle) }

        var text: String { "\(team).\(bundle)" }
    }

    public static let maxBytes = 16 * 1024
}

/// A key attested by App Attest. Store the key, counter 0, the environment, and the receipt for
/// Apple's fraud metric.
public struct AppAttestedKey: Sendable, Hashable {
    public let key: DevicePublicKey
    /// SHA-256 of the key's point: the app's name for the key.
    public let keyID: [UInt8]
    public let environment: AppAttest.Environment
    /// A signed message for Apple's server. Not verified here.
    public let receipt: [UInt8]
    /// The device's version, if it reports one.
    public let systemVersion: String?
    /// The fingerprint of the root certificate that proved it.
    public let anchor: [UInt8]
}

/// A message from the app that holds the attested key.
public struct AppAssertion: Sendable, Hashable {
    public let previousCounter: UInt32
    /// Store it in the same write that acts on the message, if the stored value is still
    /// ``previousCounter``.
    public let newCounter: UInt32
}
