internal import Foundation
internal import MienCore
internal import MienKeys
internal import SwiftASN1
internal import X509

/// Certificates as a device sends them: the attestation's first, each made by the next, the last by
/// an anchor (or an anchor itself).
///
/// The order is fixed by the formats, so there is no path to search for: each rule has one place
/// and one error.
struct CertificateChain {
    static let maxCertificates = 8, maxCertificateBytes = 8192

    let certificates: [Certificate]

    var leaf: Certificate { certificates[0] }

    init(_ ders: [[UInt8]]) throws(AttestationError) {
        guard (1...Self.maxCertificates).contains(ders.count) else {
            throw AttestationError(
                .chainLength, "\(ders.count) certificates; 1 to \(Self.maxCertificates) are taken")
        }
        var certificates: [Certificate] = []
        for (place, der) in ders.enumerated() {
            certificates.append(
                try Self.certificate(der, name: "certificate \(place + 1) of \(ders.count)"))
        }
        self.certificates = certificates
    }

    static func certificate(_ der: [UInt8], name: String) throws(AttestationError) -> Certificate {
        guard der.count <= maxCertificateBytes else {
            throw AttestationError(.certificate, "\(name): more than \(maxCertificateBytes) bytes")
        }
        guard let certificate = try? Certificate(derEncoded: der), (try? isPlain(der)) == true
        else {
            throw AttestationError(.certificate, "\(name): not an X.509 certificate in DER")
        }
        return certificate
    }

    /// What lies outside the signed part has one spelling: the algorithm is the one inside (RFC
    /// 5280 §4.1.1.2), the signature is whole bytes.
    private static func isPlain(_ der: [UInt8]) throws -> Bool {
        try DER.sequence(DER.parse(der), identifier: .sequence) { parts in
            guard let body = parts.next(), let algorithm = parts.next(),
                let signature = parts.next()
            else { return false }
            guard case .constructed(let fields) = body.content else { return false }
            // After version, where there is one, and serial number.
            let inner = fields.first { $0.identifier == .sequence }
            return try inner?.encodedBytes == algorithm.encodedBytes
                && ASN1BitString(derEncoded: signature).paddingBits == 0
        }
    }

    /// - Parameter understood: critical extensions of the first certificate that the caller looks
    ///   at.
    /// - Returns: the anchor it ends at.
    func verify(anchors: [TrustAnchor], at now: Instant, understood: Set<ASN1ObjectIdentifier> = [])
        throws(AttestationError) -> TrustAnchor
    {
        if let pinned = anchors.first(where: { $0.certificate == leaf }), certificates.count == 1 {
            try checkTime(leaf, "certificate 1 of 1", now)
            return pinned
        }
        let count = try countBelowAnchor(anchors)
        for place in 0..<count {
            let certificate = certificates[place],
                name = "certificate \(place + 1) of \(certificates.count)"
            try checkTime(certificate, name, now)
            try checkAlgorithm(certificate, name)
            try checkCritical(certificate, name, understood: place == 0 ? understood : [])
            if place > 0 { try checkAuthority(certificate, name, below: place - 1) }
            if place + 1 < count {
                try checkIssuer(of: certificate, is: certificates[place + 1], name)
            }
        }
        let anchor = try anchor(of: certificates[count - 1], among: anchors, at: now)
        try checkTime(anchor.certificate, "anchor", now)
        try checkPathLength(anchor.certificate, "anchor", below: count - 1)
        return anchor
    }

    /// A root that comes along proves nothing. It may be another edition of an anchor: what counts
    /// is name and key.
    private func countBelowAnchor(_ anchors: [TrustAnchor]) throws(AttestationError) -> Int {
        guard let last = certificates.last, certificates.count > 1, last.subject == last.issuer
        else { return certificates.count }
        guard
            anchors.contains(where: {
                $0.certificate.subject == last.subject && $0.certificate.publicKey == last.publicKey
            })
        else {
            throw AttestationError(
                .chainUntrusted, "the chain ends in a root that is none of the anchors")
        }
        return certificates.count - 1
    }

    private func anchor(of certificate: Certificate, among anchors: [TrustAnchor], at now: Instant)
        throws(AttestationError) -> TrustAnchor
    {
        let found = anchors.first {
            $0.certificate.subject == certificate.issuer
                && $0.certificate.publicKey.isValidSignature(
                    certificate.signature, for: certificate)
        }
        guard let found else {
            throw AttestationError(.chainUntrusted, "no anchor has made the last certificate")
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
                "\(name) is signed in a way that is not taken; SHA-256 or longer, with RSA, ECDSA or Ed25519"
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
            "\(name) has the critical extension \(unknown.oid), which is not understood")
    }

    private func checkIssuer(of certificate: Certificate, is issuer: Certificate, _ name: String)
        throws(AttestationError)
    {
        guard certificate.issuer == issuer.subject else {
            throw AttestationError(.chainBroken, "\(name) names another issuer than the next one")
        }
        guard issuer.publicKey.isValidSignature(certificate.signature, for: certificate) else {
            throw AttestationError(.chainBroken, "\(name) is not signed by the next one")
        }
    }

    private func checkAuthority(_ certificate: Certificate, _ name: String, below: Int)
        throws(AttestationError)
    {
        guard certificate.version == .v3 else {
            throw AttestationError(.chainAuthority, "\(name) makes others and is not of version 3")
        }
        try checkPathLength(certificate, name, below: below)
        let usage: KeyUsage?
        do { usage = try certificate.extensions.keyUsage } catch {
            throw AttestationError(.certificate, "\(name): its key usage does not read")
        }
        guard usage?.keyCertSign != false else {
            throw AttestationError(.chainAuthority, "\(name) may not sign certificates")
        }
    }

    /// - Parameter below: how many authorities stand between it and the attestation's certificate.
    private func checkPathLength(_ certificate: Certificate, _ name: String, below: Int)
        throws(AttestationError)
    {
        let constraints: BasicConstraints?
        do { constraints = try certificate.extensions.basicConstraints } catch {
            throw AttestationError(.certificate, "\(name): its basic constraints do not read")
        }
        guard case .isCertificateAuthority(let length)? = constraints else {
            throw AttestationError(.chainAuthority, "\(name) is no authority")
        }
        guard below <= length ?? .max else {
            throw AttestationError(
                .chainPathLength,
                "\(name) allows \(length ?? 0) authorities below itself, there are \(below)")
        }
    }
}

extension Certificate {
    func value(of oid: ASN1ObjectIdentifier) -> [UInt8]? {
        extensions[oid: oid].map { Array($0.value) }
    }

    /// The subject's key, if it is one that signs here.
    func deviceKey() throws(AttestationError) -> DevicePublicKey {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(publicKey)) != nil else {
            throw AttestationError(.key, "the certificate's key does not read")
        }
        do { return try DevicePublicKey(spki: serializer.serializedBytes) } catch {
            throw AttestationError(.key, "the certificate's key: \(error.reason)")
        }
    }
}
