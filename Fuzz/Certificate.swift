import Foundation
import MienCore
import MienKeys
import MienServerTesting
import SwiftASN1
import X509

@testable import MienAttestation

/// Reads any bytes as a certificate, and as a chain: bodies of certificates (`TBSCertificate`),
/// each after its length in two bytes, which the known key signs.
///
/// Must hold: the result is an error, or certificates that are written back unchanged. Only a chain
/// of signed, valid certificates of authorities leads to the anchor.
func fuzzCertificate(_ bytes: [UInt8]) {
    if let chain = chain([bytes]) {
        precondition(
            (try? chain.verify(anchors: [anchor], at: verificationTime)) == nil,
            "a forged certificate leads to the anchor")
        inspect(chain)
    }
    var reader = BigEndianReader(bytes), ders: [[UInt8]] = []
    while ders.count <= CertificateChain.maxCertificates, let body = reader.counted() {
        ders.append(certificate(body))
    }
    if let chain = chain(ders) {
        inspect(chain)
        verify(chain, ders)
    }
}

private func chain(_ ders: [[UInt8]]) -> CertificateChain? {
    do throws(AttestationError) {
        let chain = try CertificateChain(ders)
        precondition(chain.certificates.count == ders.count)
        for (certificate, der) in zip(chain.certificates, ders) {
            precondition(
                (try? written(certificate)) == der, "a certificate has more than one encoding")
        }
        return chain
    } catch {
        checkReason(error)
        return nil
    }
}

private func verify(_ chain: CertificateChain, _ ders: [[UInt8]]) {
    do throws(AttestationError) {
        let found = try chain.verify(anchors: [anchor], at: verificationTime)
        precondition(found == anchor)
        // The last one may be another edition of the root, whose key alone counts.
        let last = chain.certificates[chain.certificates.count - 1]
        let isRootIncluded = chain.certificates.count > 1 && last.subject == last.issuer
        let below = chain.certificates.dropLast(isRootIncluded ? 1 : 0)
        let date = Date(timeIntervalSince1970: Double(verificationTime.seconds))
        precondition(below.allSatisfy { $0.notValidBefore <= date && date <= $0.notValidAfter })
        precondition(
            below.dropFirst().allSatisfy {
                guard case .isCertificateAuthority? = try? $0.extensions.basicConstraints else {
                    return false
                }
                return $0.version == .v3
            }, "a certificate that is not an authority issued another")
        var other = ders
        other[0][other[0].count - 1] ^= 1
        precondition(
            (try? CertificateChain(other).verify(anchors: [anchor], at: verificationTime)) == nil,
            "a changed signature is accepted")
    } catch { checkReason(error) }
}

/// Reads everything in the first certificate that the formats read.
private func inspect(_ chain: CertificateChain) {
    let leaf = chain.leaf
    do throws(AttestationError) {
        let key = try leaf.deviceKey()
        guard let again = try? DevicePublicKey(spki: key.spki) else {
            preconditionFailure("a written key cannot be read again")
        }
        precondition(again == key)
    } catch { checkReason(error) }
    do throws(AttestationError) { try leaf.checkVersion3AndNoAuthority() } catch {
        checkReason(error)
    }
    do throws(AttestationError) { try leaf.checkPackedSubject() } catch { checkReason(error) }
    do throws(AttestationError) { try leaf.checkAAGUID([UInt8](repeating: 1, count: 16)) } catch {
        checkReason(error)
    }
    do throws(AttestationError) {
        try AppleNonce.check(leaf, authenticatorData: [1], clientDataHash: [2])
        preconditionFailure("a nonce fits other data")
    } catch { checkReason(error) }
    do throws(AttestationError) { _ = try AndroidKeyAttestation.description(chain) } catch {
        checkReason(error)
    }
    let serial = leaf.serialNumber.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let list: JSONValue = [
        "entries": .object([serial.joined(): ["status": "REVOKED"]])
    ]
    guard !serial.isEmpty, serial.count <= 128,
        let statuses = try? AndroidStatusList(json: Array(JSONText.write(list).utf8))
    else { return }
    precondition((try? statuses.check(chain)) == nil, "a revoked certificate is accepted")
}
