import Foundation
import MienAttestation
import MienCore
import MienTesting
import SwiftASN1
import Testing
import Yams

/// Recordings of real devices, stored next to the repository.
enum Captures {
    static let reason: Comment =
        "needs the recorded attestations: ../shared/data/vectors, or MIEN_SHARED"

    private static let folder: URL = {
        let repository = Repository.root
        let shared =
            ProcessInfo.processInfo.environment["MIEN_SHARED"].map { URL(filePath: $0) }
            ?? repository.deletingLastPathComponent().appending(path: "shared")
        return shared.appending(path: "data/vectors")
    }()

    static let arePresent = FileManager.default.fileExists(
        atPath: folder.appending(path: "app-attest").path)

    struct AppAttest: Sendable, CustomTestStringConvertible {
        let name, type: String
        let object, keyID, clientDataHash: [UInt8]
        let app: MienAttestation.AppAttest.AppID
        let at: Instant
        let counter: Int?
        let version: String?
        let spki: [UInt8]

        var testDescription: String { "\(name) \(type)" }
    }

    static let appAttest: [AppAttest] = files("app-attest", "yaml").flatMap { url -> [AppAttest] in
        let text = try! String(contentsOf: url, encoding: .utf8)
        return try! Yams.load_all(yaml: text).compactMap {
            entry(url.lastPathComponent, $0 as? [String: Any] ?? [:])
        }
    }

    static var attestations: [AppAttest] { appAttest.filter { $0.type == "attestation" } }
    static var assertions: [AppAttest] { appAttest.filter { $0.type == "assertion" } }

    private static func entry(_ name: String, _ fields: [String: Any]) -> AppAttest? {
        func bytes(_ key: String) -> [UInt8]? {
            (fields[key] as? String).flatMap { Data(base64Encoded: $0) }.map(Array.init)
        }
        guard let type = fields["type"] as? String,
            let object = bytes("attestationBase64") ?? bytes("assertionBase64"),
            let keyID = bytes("keyIdBase64"),
            let hash = bytes("clientDataHashSha256Base64"),
            let team = fields["teamIdentifier"] as? String,
            let bundle = fields["bundleIdentifier"] as? String,
            let time = instant(fields["timestamp"]), let pem = fields["publicKey"] as? String
        else { return nil }
        return AppAttest(
            name: name, type: type, object: object, keyID: keyID, clientDataHash: hash,
            app: .init(team: team, bundle: bundle), at: time,
            counter: fields["counter"] as? Int, version: fields["iOSVersion"].map { "\($0)" },
            spki: try! PEMDocument(pemString: pem).derBytes)
    }

    private static func instant(_ value: Any?) -> Instant? {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = value as? Date ?? (value as? String).flatMap({ try? format.parse($0) })
        else { return nil }
        return Instant(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
    }

    struct Android: Sendable, CustomTestStringConvertible {
        let name: String
        let chain: [[UInt8]]
        let json: JSONValue

        var testDescription: String { name }
        var challenge: [UInt8] {
            Array(Data(base64Encoded: json["attestationChallenge"]!.stringValue!)!)
        }
        /// The device's own clock when the key was made.
        var at: Instant {
            Instant(
                milliseconds: Int64(json["softwareEnforced"]!["creationDateTime"]!.stringValue!)!)
        }
    }

    static let android: [Android] = files("android-key-attestation", "pem").map { url in
        let documents = try! PEMDocument.parseMultiple(
            pemString: String(contentsOf: url, encoding: .utf8))
        let json = try! JSONText.parse(
            Array(Data(contentsOf: url.deletingPathExtension().appendingPathExtension("json"))))
        return Android(
            name: url.deletingPathExtension().lastPathComponent, chain: documents.map(\.derBytes),
            json: json)
    }

    private static func files(_ name: String, _ kind: String) -> [URL] {
        let all = FileManager.default.enumerator(
            at: folder.appending(path: name), includingPropertiesForKeys: nil)
        return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == kind }.sorted {
            $0.path < $1.path
        }
    }
}

enum Data64 {
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map(Array.init) }
}
