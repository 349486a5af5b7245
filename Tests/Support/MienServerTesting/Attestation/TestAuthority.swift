import Crypto
import Foundation
import MienAttestation
import MienCore
import MienKeys
import SwiftASN1
import X509

/// A certificate authority for tests, and the certificates it issues.
package struct TestAuthority: Sendable {
    package static let now = Instant(seconds: 1_790_000_000)
    package static let day = Duration.seconds(86400)

    package let key = P256.Signing.PrivateKey()
    package let name: DistinguishedName
    package let der: [UInt8]
    package var anchor: TrustAnchor { try! TrustAnchor(der: der) }

    /// Creates a root authority, or one issued by another authority.
    package init(
        _ name: String = "Root", by parent: TestAuthority? = nil,
        extensions: Certificate.Extensions? = nil,
        from: Instant = now - day, to: Instant = now + day, version: Certificate.Version = .v3
    ) throws {
        self.name = try DistinguishedName { CommonName(name) }
        let standard = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(keyCertSign: true))
        }
        der = try Self.certificate(
            subject: self.name, key: .init(key.publicKey), issuer: parent?.name ?? self.name,
            by: parent?.key ?? key,
            extensions: extensions ?? standard, from: from, to: to, version: version)
    }

    /// Creates a root with a full name, like a foreign authority's.
    package static func named(_ common: String, _ organization: String, _ state: String) throws
        -> TestAuthority
    {
        try TestAuthority(
            subject: DistinguishedName {
                CommonName(common)
                OrganizationName(organization)
                StateOrProvinceName(state)
            })
    }

    private init(subject: DistinguishedName) throws {
        name = subject
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        }
        let always = Instant(seconds: 0)
        der = try Self.certificate(
            subject: subject, key: .init(key.publicKey), issuer: subject, by: key,
            extensions: extensions, from: always, to: Self.now, version: .v3)
    }

    package func issue(
        subject: DistinguishedName, key: Certificate.PublicKey,
        extensions: Certificate.Extensions = Certificate.Extensions(),
        from: Instant = now - day, to: Instant = now + day, version: Certificate.Version = .v3,
        serial: Int = 7
    ) throws -> [UInt8] {
        try Self.certificate(
            subject: subject, key: key, issuer: name, by: self.key, extensions: extensions,
            from: from, to: to, version: version, serial: serial)
    }

    private static func certificate(
        subject: DistinguishedName, key: Certificate.PublicKey, issuer: DistinguishedName,
        by signer: P256.Signing.PrivateKey,
        extensions: Certificate.Extensions, from: Instant, to: Instant,
        version: Certificate.Version, serial: Int = 7
    ) throws -> [UInt8] {
        func date(_ instant: Instant) -> Date {
            Date(timeIntervalSince1970: Double(instant.seconds))
        }
        let certificate = try Certificate(
            version: version, serialNumber: .init(serial), publicKey: key,
            notValidBefore: date(from), notValidAfter: date(to), issuer: issuer,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: .init(signer))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}

extension Certificate.Extensions {
    /// Returns a copy with one more extension.
    package func adding(_ oid: ASN1ObjectIdentifier, _ value: [UInt8], critical: Bool = false)
        throws -> Self
    {
        var result = self
        try result.append(Certificate.Extension(oid: oid, critical: critical, value: value[...]))
        return result
    }
}

extension Certificate.PublicKey {
    package init(_ key: DevicePublicKey) throws { try self.init(derEncoded: key.spki) }
}

extension Instant {
    package var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
}
