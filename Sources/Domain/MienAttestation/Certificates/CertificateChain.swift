internal import Foundation
internal import MienCore
internal import MienKeys
internal import SwiftASN1
internal import X509

/// A certificate chain from a device: the attestation's certificate first, each issued by the next,
/// the last issued by an anchor (or an anchor itself).
///
/// The formats fix the order, so no path search is needed: each rule has one check and one error.
struct CertificateChain {
    static let maxCertificates = 8, maxCertificateBytes = 8192

    let certificates: [Certificate]

    var leaf: Certificate { certificates[0] }

    init(_ ders: [[UInt8]]) throws(AttestationError) {
        guard (1...Self.maxCertificates).contains(ders.count) else {
            throw AttestationError(
                .chainLength,
                "a chain must have 1 to \(Self.maxCertificates) certificates, not \(ders.count)")
        }
        var certificates: [Certificate] = []
        for (index, der) in ders.enumerated() {
            certificates.append(
                try Self.certificate(der, name: "certificate \(index + 1) of \(ders.count)"))
        }
        self.certificates = certificates
    }

    static func certificate(_ der: [UInt8], name: String) throws(AttestationError) -> Certificate {
        guard der.count <= maxCertificateBytes else {
            throw AttestationError(.certificate, "\(name): more than \(maxCertificateBytes) bytes")
        }
        guard let certificate = try? Certificate(derEncoded: der), (try? isPlain(der)) == true
        else {
            if let unsupported = CertificateAlgorithms(der: der)?.unsupported {
                throw AttestationError(
                    .certificateAlgorithm,
                    "\(name): \(unsupported), which is not supported; supported are RSA, ECDSA, and Ed25519"
                )
            }
            throw AttestationError(.certificate, "\(name): not an X.509 certificate in DER")
        }
        return certificate
    }

    /// Whether the unsigned parts have their only valid encoding: the algorithm equals the signed
    /// one (RFC 5280 §4.1.1.2), and the signature is whole bytes. Also checks the times.
    private static func isPlain(_ der: [UInt8]) throws -> Bool {
        try DER.sequence(DER.parse(der), identifier: .sequence) { parts in
            guard let body = parts.next(), let algorithm = parts.next(),
                let signature = parts.next()
            else { return false }
            guard case .constructed(let fields) = body.content else { return false }
            // After the serial number and, if present, the version: algorithm, issuer, validity.
            let inner = fields.filter { $0.identifier == .sequence }
            guard inner.count >= 3, try hasPlainTimes(inner[2]) else { return false }
            return try inner[0].encodedBytes == algorithm.encodedBytes
                && ASN1BitString(derEncoded: signature).paddingBits == 0
        }
    }

    /// Whether both times have seconds up to 59. ASN.1 allows leap seconds up to 61, but X509 has
    /// no date for them, and a debug build would stop.
    private static func hasPlainTimes(_ validity: ASN1Node) throws -> Bool {
        guard case .constructed(let times) = validity.content else { return false }
        return try times.allSatisfy {
            try $0.identifier == .utcTime
                ? UTCTime(derEncoded: $0).seconds < 60
                : GeneralizedTime(derEncoded: $0).seconds < 60
        }
    }

    /// - Parameter understood: critical extensions of the first certificate that the caller checks.
    /// - Returns: the anchor that ends the chain.
    func verify(anchors: [TrustAnchor], at now: Instant, understood: Set<ASN1ObjectIdentifier> = [])
        throws(AttestationError) -> TrustAnchor
    {
        if let pinned = anchors.first(where: { $0.certificate == leaf }), certificates.count == 1 {
            return pinned
        }
        let count = try countBelowAnchor(anchors)
        for index in 0..<count {
            let certificate = certificates[index],
                name = "certificate \(index + 1) of \(certificates.count)"
            try checkTime(certificate, name, now)
            try checkAlgorithm(certificate, name)
            try checkCritical(certificate, name, understood: index == 0 ? understood : [])
            if index > 0 { try checkAuthority(certificate, name, below: index - 1) }
            if index + 1 < count {
                try checkIssuer(of: certificate, is: certificates[index + 1], name)
            }
        }
        let anchor = try anchor(of: certificates[count - 1], among: anchors)
        try checkPathLength(anchor.certificate, "anchor", below: count - 1)
        return anchor
    }

    /// Returns the number of certificates below the anchor. A root in the chain proves nothing. It
    /// may be another edition of an anchor, so only name and key count.
    private func countBelowAnchor(_ anchors: [TrustAnchor]) throws(AttestationError) -> Int {
        guard let last = certificates.last, certificates.count > 1, last.subject == last.issuer
        else { return certificates.count }
        guard
            anchors.contains(where: {
                $0.certificate.subject == last.subject && $0.certificate.publicKey == last.publicKey
            })
        else {
            throw AttestationError(
                .chainUntrusted, "the chain ends in a root that is not an anchor")
        }
        return certificates.count - 1
    }

    private func anchor(of certificate: Certificate, among anchors: [TrustAnchor])
        throws(AttestationError) -> TrustAnchor
    {
        let found = anchors.first {
            $0.certificate.subject == certificate.issuer
                && $0.certificate.publicKey.isValidSignature(
                    certificate.signature, for: certificate)
        }
        guard let found else {
            throw AttestationError(.chainUntrusted, "no anchor issued the last certificate")
        }
        return found
    }

    private func checkTime(_ certificate: Certificate, _ name: String, _ now: Instant)
        throws(AttestationError)
    {
        let time = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
        guard certificate.notValidBefore <= time else {
            throw AttestationError(.chainNotYetValid, "\(name) is not valid yet")
        }
        guard time <= certificate.notValidAfter else {
            throw AttestationError(.chainExpired, "\(name) has expired")
        }
    }

    private func checkAlgorithm(_ certificate: Certificate, _ name: String) throws(AttestationError)
    {
        let taken: Set<Certificate.SignatureAlgorithm> = [
            .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .sha256WithRSAEncryption,
            .sha384WithRSAEncryption, .sha512WithRSAEncryption,
            .ed25519,
        ]
        guard taken.contains(certificate.signatureAlgorithm) else {
            throw AttestationError(
                .chainAlgorithm,
                "\(name) must be signed with SHA-256 or longer, and RSA, ECDSA, or Ed25519"
            )
        }
    }

    private func checkCritical(
        _ certificate: Certificate, _ name: String, understood: Set<ASN1ObjectIdentifier>
    ) throws(AttestationError) {
        let always: Set<ASN1ObjectIdentifier> = [
            .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
        ]
        guard
            let unknown = certificate.extensions.first(where: {
                $0.critical && !always.contains($0.oid) && !understood.contains($0.oid)
            })
        else {
            return
        }
        throw AttestationError(
            .chainCritical,
            "\(name) has the critical extension \(unknown.oid), which is not supported")
    }

    private func checkIssuer(of certificate: Certificate, is issuer: Certificate, _ name: String)
        throws(AttestationError)
    {
        guard certificate.issuer == issuer.subject else {
            throw AttestationError(
                .chainBroken, "\(name) names an issuer other than the next certificate")
        }
        guard issuer.publicKey.isValidSignature(certificate.signature, for: certificate) else {
            throw AttestationError(.chainBroken, "\(name) is not signed by the next certificate")
        }
    }

    private func checkAuthority(_ certificate: Certificate, _ name: String, below: Int)
        throws(AttestationError)
    {
        guard certificate.version == .v3 else {
            throw AttestationError(
                .chainAuthority, "\(name) issues others and must be of version 3")
        }
        try checkPathLength(certificate, name, below: below)
        let usage: KeyUsage?
        do { usage = try certificate.extensions.keyUsage } catch {
            throw AttestationError(.certificate, "\(name): its key usage is malformed")
        }
        guard usage?.keyCertSign != false else {
            throw AttestationError(.chainAuthority, "\(name) may not sign certificates")
        }
    }

    /// - Parameter below: the number of authorities between this one and the attestation's
    ///   certificate.
    private func checkPathLength(_ certificate: Certificate, _ name: String, below: Int)
        throws(AttestationError)
    {
        let constraints: BasicConstraints?
        do { constraints = try certificate.extensions.basicConstraints } catch {
            throw AttestationError(.certificate, "\(name): its basic constraints are malformed")
        }
        guard case .isCertificateAuthority(let length)? = constraints else {
            throw AttestationError(.chainAuthority, "\(name) is not an authority")
        }
        guard below <= length ?? .max else {
            throw AttestationError(
                .chainPathLength,
                "\(name) allows \(length ?? 0) authorities below itself, not \(below)")
        }
    }
}

extension Certificate {
    func value(of oid: ASN1ObjectIdentifier) -> [UInt8]? {
        extensions[oid: oid].map { Array($0.value) }
    }

    /// Returns the subject's key if its type is supported.
    func deviceKey() throws(AttestationError) -> DevicePublicKey {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(publicKey)) != nil else {
            throw AttestationError(.key, "the certificate's key is malformed")
        }
        do { return try DevicePublicKey(spki: serializer.serializedBytes) } catch {
            throw AttestationError(.key, "the certificate's key: \(error.reason)")
        }
    }
}
