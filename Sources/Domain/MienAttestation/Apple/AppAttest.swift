public import MienKeys

/// Apple App Attest: an app's key lives in the Secure Enclave of a genuine device and belongs to
/// this app, unmodified as far as Apple can tell.
///
/// It says nothing of the user: such a key signs without a finger or a face (docs/facts.md §6,
/// docs/spec/attestation.md).
public enum AppAttest {
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        case production, development

        /// 16 bytes: ASCII, filled up with zeros.
        var aaguid: [UInt8] {
            switch self {
            case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
            case .development: Array("appattestdevelop".utf8)
            }
        }
    }

    /// Team and bundle, as Apple joins them: `ABCDE12345.org.example.app`.
    public struct AppID: Sendable, Hashable {
        public let team, bundle: String

        public init(team: String, bundle: String) { (self.team, self.bundle) = (team, bundle) }

        var text: String { "\(team).\(bundle)" }
    }

    public static let maxBytes = 16 * 1024
}

/// A key that App Attest vouched for. What to keep of it: key, counter 0, environment, and the
/// receipt for Apple's fraud metric.
public struct AppAttestedKey: Sendable, Hashable {
    public let key: DevicePublicKey
    /// SHA-256 of the key's point: how the app names it.
    public let keyID: [UInt8]
    public let environment: AppAttest.Environment
    /// A signed message for Apple's server. Not looked at here.
    public let receipt: [UInt8]
    /// As the device says, where it does.
    public let systemVersion: String?
    /// Fingerprint of the root it was proved by.
    public let anchor: [UInt8]
}

/// A message that came from the app with the attested key.
public struct AppAssertion: Sendable, Hashable {
    public let previousCounter: UInt32
    /// To be stored in the same write that acts on the message, if it still holds
    /// ``previousCounter`` then.
    public let newCounter: UInt32
}
