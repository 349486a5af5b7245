internal import MienCore
internal import X509

/// An offline copy of Google's list of leaked or misused attestation keys:
/// `https://android.googleapis.com/attestation/status`.
///
/// The caller must know its age: a list does not contain keys that were found after it was fetched.
public struct AndroidStatusList: Sendable, Hashable {
    public enum Status: String, Sendable, Hashable {
        case revoked = "REVOKED", suspended = "SUSPENDED"
    }

    /// Statuses by serial number, in lower-case hexadecimal without leading zeros.
    public let entries: [String: Status]

    public static let maxBytes = 16 * 1024 * 1024

    public init(entries: [String: Status]) { self.entries = entries }

    /// If spellings of one number have different statuses, it is revoked.
    ///
    /// - Throws: for JSON other than `{"entries": {serial: {"status": "REVOKED" | "SUSPENDED",
    ///   …}}}`. An unknown status is an error, not a pass.
    public init(json: [UInt8]) throws(AttestationError) {
        let value: JSONValue
        do {
            value = try JSONText.parse(
                json, limits: JSONText.Limits(maxBytes: Self.maxBytes, maxDepth: 4))
        } catch {
            throw AttestationError(.androidStatusList, "the status list is not JSON: \(error)")
        }
        guard let members = value["entries"]?.objectValue else {
            throw AttestationError(.androidStatusList, "“entries” must be an object")
        }
        var entries: [String: Status] = [:]
        for (serial, entry) in members {
            // Other scripts have hexadecimal digits too, which match no certificate.
            guard !serial.isEmpty, serial.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
                throw AttestationError(.androidStatusList, "a key is not a serial number")
            }
            guard let status = entry["status"]?.stringValue.flatMap(Status.init) else {
                throw AttestationError(
                    .androidStatusList, "a status is neither REVOKED nor SUSPENDED")
            }
            let number = Self.normal(serial)
            if entries[number] != .revoked { entries[number] = status }
        }
        self.entries = entries
    }

    func check(_ chain: CertificateChain) throws(AttestationError) {
        for (index, certificate) in chain.certificates.enumerated() {
            let serial = certificate.serialNumber.bytes.map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }.joined()
            guard let status = entries[Self.normal(serial)] else { continue }
            throw AttestationError(
                .revoked,
                "certificate \(index + 1) of \(chain.certificates.count) is \(status.rawValue.lowercased())"
            )
        }
    }

    private static func normal(_ serial: String) -> String {
        String(serial.lowercased().drop { $0 == "0" })
    }
}
