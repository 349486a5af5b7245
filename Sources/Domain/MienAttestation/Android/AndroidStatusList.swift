internal import MienCore
internal import X509

/// Google's list of attestation keys that leaked or were misused: an offline copy of
/// `https://android.googleapis.com/attestation/status`.
///
/// How old it is, is the caller's to know: a list says nothing of keys found after it was fetched.
public struct AndroidStatusList: Sendable, Hashable {
    public enum Status: String, Sendable, Hashable {
        case revoked = "REVOKED", suspended = "SUSPENDED"
    }

    /// By serial number, hexadecimal in lower case without leading zeros.
    public let entries: [String: Status]

    public static let maxBytes = 16 * 1024 * 1024

    public init(entries: [String: Status]) { self.entries = entries }

    /// - Throws: for anything but `{"entries": {serial: {"status": "REVOKED" | "SUSPENDED", …}}}`.
    ///   An unknown status is an error, not a pass.
    public init(json: [UInt8]) throws(AttestationError) {
        let value: JSONValue
        do {
            value = try JSONText.parse(
                json, limits: JSONText.Limits(maxBytes: Self.maxBytes, maxDepth: 4))
        } catch {
            throw AttestationError(.androidStatusList, "not JSON: \(error)")
        }
        guard let members = value["entries"]?.objectValue else {
            throw AttestationError(.androidStatusList, "“entries” is not an object")
        }
        var entries: [String: Status] = [:]
        for (serial, entry) in members {
            guard !serial.isEmpty, serial.allSatisfy(\.isHexDigit) else {
                throw AttestationError(.androidStatusList, "a key is no serial number")
            }
            guard let status = entry["status"]?.stringValue.flatMap(Status.init) else {
                throw AttestationError(
                    .androidStatusList, "a status is neither REVOKED nor SUSPENDED")
            }
            entries[Self.normal(serial)] = status
        }
        self.entries = entries
    }

    func check(_ chain: CertificateChain) throws(AttestationError) {
        for (place, certificate) in chain.certificates.enumerated() {
            let serial = certificate.serialNumber.bytes.map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }.joined()
            guard let status = entries[Self.normal(serial)] else { continue }
            throw AttestationError(
                .revoked,
                "certificate \(place + 1) of \(chain.certificates.count) is \(status.rawValue.lowercased())"
            )
        }
    }

    private static func normal(_ serial: String) -> String {
        String(serial.lowercased().drop { $0 == "0" })
    }
}
