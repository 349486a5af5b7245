import Crypto
import Foundation
import MienAttestation
import MienCore
import MienKeys
import SwiftASN1
import Testing
import X509

/// An authority of the tests, and what it makes.
struct TestAuthority {
    static let now = Instant(seconds: 1_790_000_000)
    static let day = Duration.seconds(86400)

    let key = P256.Signing.PrivateKey()
    let name: DistinguishedName
    let der: [UInt8]
    var anchor: TrustAnchor { try! TrustAnchor(der: der) }

    /// A root, or made by another.
    init(
        _ name: String = "Root", by parent: TestAuthority? = nil, extensions: Certificate.Extensions? = nil,
        from: Instant = now - day, to: Instant = now + day, version: Certificate.Version = .v3
    ) throws {
        self.name = try DistinguishedName { CommonName(name) }
        let standard = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(keyCertSign: true))
        }
        der = try Self.certificate(
            subject: self.name, key: .init(key.publicKey), issuer: parent?.name ?? self.name, by: parent?.key ?? key,
            extensions: extensions ?? standard, from: from, to: to, version: version)
    }

    /// A root with a full name: somebody else's.
    static func named(_ common: String, _ organization: String, _ state: String) throws -> TestAuthority {
        try TestAuthority(
            subject: DistinguishedName {
                CommonName(common)
                OrganizationName(organization)
                StateOrProvinceName(state)
            })
    }

    private init(subject: DistinguishedName) throws {
        name = subject
        let extensions = try Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
        let always = Instant(seconds: 0)
        der = try Self.certificate(
            subject: subject, key: .init(key.publicKey), issuer: subject, by: key, extensions: extensions, from: always, to: Self.now, version: .v3)
    }

    func issue(
        subject: DistinguishedName, key: Certificate.PublicKey, extensions: Certificate.Extensions = Certificate.Extensions(),
        from: Instant = now - day, to: Instant = now + day, version: Certificate.Version = .v3, serial: Int = 7
    ) throws -> [UInt8] {
        try Self.certificate(
            subject: subject, key: key, issuer: name, by: self.key, extensions: extensions, from: from, to: to, version: version, serial: serial)
    }

    private static func certificate(
        subject: DistinguishedName, key: Certificate.PublicKey, issuer: DistinguishedName, by signer: P256.Signing.PrivateKey,
        extensions: Certificate.Extensions, from: Instant, to: Instant, version: Certificate.Version, serial: Int = 7
    ) throws -> [UInt8] {
        func date(_ instant: Instant) -> Date { Date(timeIntervalSince1970: Double(instant.seconds)) }
        let certificate = try Certificate(
            version: version, serialNumber: .init(serial), publicKey: key, notValidBefore: date(from), notValidAfter: date(to), issuer: issuer,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(signer))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}

extension Certificate.Extensions {
    /// With one more.
    func adding(_ oid: ASN1ObjectIdentifier, _ value: [UInt8], critical: Bool = false) throws -> Self {
        var result = self
        try result.append(Certificate.Extension(oid: oid, critical: critical, value: value[...]))
        return result
    }
}

extension Certificate.PublicKey {
    init(_ key: DevicePublicKey) throws { try self.init(derEncoded: key.spki) }
}

/// The code of the error that `body` throws; `nil` when it throws none. Any other error is an issue.
func refusal(_ body: () throws -> Void) -> AttestationError.Code? {
    do {
        try body()
        return nil
    } catch let error as AttestationError { return error.code } catch {
        Issue.record(error)
        return nil
    }
}

extension Instant {
    var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
}
