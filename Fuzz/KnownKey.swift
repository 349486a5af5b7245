import Crypto
import Foundation
import MienAttestation
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import X509

/// The key that the seeds of attestations name, and that signs for them: the P-256 key of RFC 6979
/// A.2.5, whose private half is published.
let knownKey = try! P256.Signing.PrivateKey(
    rawRepresentation: [
        0xc9, 0xaf, 0xa9, 0xd8, 0x45, 0xba, 0x75, 0x16, 0x6b, 0x5c, 0x21, 0x57, 0x67, 0xb1, 0xd6,
        0x93, 0x4e, 0x50, 0xc3, 0xdb, 0x36, 0xe8, 0x9b, 0x12, 0x7b, 0x8a, 0x62, 0x2b, 0x12, 0x0f,
        0x67, 0x21,
    ] as [UInt8])
let knownPublicKey = try! SoftwareSigner(p256: Array(knownKey.rawRepresentation)).publicKey

/// The time of every verification.
let verificationTime = TestAuthority.now

/// The only trusted root: a certificate of the known key, named like the issuers in the seeds.
let anchor = try! TrustAnchor(der: issued(subject: rootName, isAuthority: true))
private let rootName = try! DistinguishedName { CommonName("Root") }

/// Returns a certificate of the known key, issued by the root.
func issued(
    subject: DistinguishedName, isAuthority: Bool = false,
    extensions more: [Certificate.Extension] = []
) throws -> [UInt8] {
    var extensions = Certificate.Extensions()
    if isAuthority {
        try extensions.append(
            .init(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true))
    }
    for one in more { try extensions.append(one) }
    let certificate = try Certificate(
        version: .v3, serialNumber: .init(7), publicKey: .init(knownKey.publicKey),
        notValidBefore: Date(timeIntervalSince1970: 0),
        notValidAfter: Date(timeIntervalSince1970: 4_000_000_000), issuer: rootName,
        subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
        issuerPrivateKey: .init(knownKey))
    return try written(certificate)
}

func written(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
}

/// Signs with the known key, in the encoding that authenticators use.
func signature(over message: [UInt8]) -> [UInt8] {
    guard let signature = try? knownKey.signature(for: message) else {
        preconditionFailure("the key cannot sign")
    }
    return Array(signature.derRepresentation)
}

/// Returns a certificate with this body (`TBSCertificate`), signed by the known key.
func certificate(_ body: [UInt8], algorithm: [UInt8] = ecdsaWithSHA256) -> [UInt8] {
    DERText.sequence(body, algorithm, DERText.value([3], [0] + signature(over: body)))
}

let ecdsaWithSHA256: [UInt8] = DERText.sequence(
    DERText.value([6], [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]))

/// Returns a certificate with a signature of the known key in place of its own, or `nil` for other
/// data.
func signedAgain(_ der: [UInt8]) -> [UInt8]? {
    guard let root = try? DER.parse(der), case .constructed(let parts) = root.content else {
        return nil
    }
    let nodes = Array(parts)
    guard nodes.count == 3 else { return nil }
    return certificate(Array(nodes[0].encodedBytes), algorithm: Array(nodes[1].encodedBytes))
}

/// Whether an error can be logged.
func checkReason(_ error: AttestationError) {
    precondition(error.reason.isPrintable && (1..<600).contains(error.reason.utf8.count))
}

/// Returns the position of the bit that a target changes, another one for each input.
func position(in bytes: [UInt8]) -> Int { bytes.reduce(0) { ($0 * 31 + Int($1)) % 65_521 } }
