import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import Testing
import X509

/// A device manufacturer that the test's server trusts, with the files that the server reads.
struct DeviceMaker: Sendable {
    static let package = "org.example.app", signer = [UInt8](repeating: 9, count: 32)
    static let appleApp = "ABCDE12345.org.example.app"

    let root = try! TestAuthority("Maker of the test's devices")
    private let folder: URL

    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try PEMDocument(type: "CERTIFICATE", derBytes: root.der).pemString.write(
            to: roots, atomically: true, encoding: .utf8)
        try revoke([])
    }

    var roots: URL { folder.appending(path: "roots.pem") }
    var revoked: URL { folder.appending(path: "revoked.json") }
    var settings: [String: String] {
        ["MIEN_ATTESTATION_ROOTS": roots.path, "MIEN_ATTESTATION_REVOKED": revoked.path]
    }

    /// Revokes certificates by their hexadecimal serial numbers.
    func revoke(_ numbers: [String]) throws {
        let entries = numbers.map { ($0, JSONValue.object(["status": "REVOKED"])) }
        try JSONText.write(["entries": .object(Dictionary(uniqueKeysWithValues: entries))]).write(
            to: revoked, atomically: true, encoding: .utf8)
    }

    /// How an attestation differs from the correct one.
    struct Difference: Sendable {
        var description: @Sendable (inout MadeDescription) -> Void = { _ in }
        /// Replaces the request's challenge.
        var challenge: String?
        /// Replaces the key to register.
        var key: DevicePublicKey?
        var serial = 0x51
        var end = TestAuthority.now + TestAuthority.day
        /// Replaces the manufacturer that the server trusts.
        var root: TestAuthority?
    }

    func android(
        _ key: DevicePublicKey, _ challenge: String, _ difference: Difference = Difference()
    ) throws -> JSONValue {
        var description = MadeDescription()
        description.challenge = Array((difference.challenge ?? challenge).utf8)
        difference.description(&description)
        let leaf = try (difference.root ?? root).issue(
            subject: DistinguishedName { CommonName("Android Keystore Key") },
            key: .init(difference.key ?? key),
            extensions: Certificate.Extensions().adding(MadeDescription.oid, description.der),
            to: difference.end, serial: difference.serial)
        return ["format": "android-key", "chain": [.string(Data(leaf).base64EncodedString())]]
    }

    /// The App Attest key differs from the key to register.
    func apple(
        _ key: DevicePublicKey, _ challenge: String, app: String = appleApp,
        _ change: MadeAppAttest = MadeAppAttest()
    ) throws -> JSONValue {
        let bound = Write.sha256(Array("\(challenge).\(key.thumbprint)".utf8))
        let made = try change.object(
            SoftwareSigner.generate(.es256), by: root, app: app, clientDataHash: bound)
        return [
            "format": "apple-appattest", "object": .string(Data(made.bytes).base64EncodedString()),
            "key_id": .string(Data(made.keyID).base64EncodedString()),
        ]
    }
}

extension TestServer {
    /// Sets the sample app's attestation policy, the apps that it accepts, and further settings.
    ///
    /// - Parameter journey: The journey of the app's sign-in page.
    func askForAttestation(
        _ policy: String = "required", _ more: [String: JSONValue] = [:], hasPage: Bool = false,
        journey: String? = nil
    ) async throws {
        var settings: [String: JSONValue] = [
            "attestation": .string(policy), "apple_apps": [.string(DeviceMaker.appleApp)],
            "android_apps": [
                [
                    "package": .string(DeviceMaker.package),
                    "signature_digests": [.string(Hex.text(DeviceMaker.signer))],
                ]
            ],
        ]
        settings.merge(more) { $1 }
        var all: [String: JSONValue] = [
            "biometric": .object(settings), "sign_in_page": .bool(hasPage),
        ]
        if let journey { all["sign_in_journey"] = .string(journey) }
        _ = try await admin.updateApp(
            AppID("default_application")!, AppRequest(name: "Sample", settings: .object(all)))
    }

    /// Returns the code in the last audit entry of a refused attestation.
    func lastRefusal() async throws -> String? {
        try await admin.audit().items.last { $0.event == "native_biometrics.attestation_refused" }?
            .detail["code"]?.stringValue
    }
}
