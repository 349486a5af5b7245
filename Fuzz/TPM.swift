import MienCore
import MienKeys
import MienServerTesting

@testable import MienAttestation

/// Reads any bytes as each structure of a TPM: a public area (`TPMT_PUBLIC`), a certification
/// (`TPMS_ATTEST`), a signature (`TPMT_SIGNATURE`), and a stored blob.
///
/// Must hold: the result is an error, or a structure that no other length has. The verifier of
/// attestations and the driver of a device's own TPM read the same key.
func fuzzTPM(_ bytes: [UInt8]) {
    let area = read(bytes, TPMPublic.init)
    if let area { check(area, bytes) }
    if let point = Template.point(of: bytes) {
        let own = try? DevicePublicKey(.p256(x: Array(point[1...32]), y: Array(point[33...])))
        precondition(point.count == 65 && own == area?.key, "two readers disagree about a key")
    }
    _ = read(bytes, TPMAttest.init)
    if let blob = try? TPMBlob(bytes: bytes) {
        precondition(blob.bytes == bytes, "a blob has more than one encoding")
        precondition(blob.registers.map { !$0.registers.isEmpty } ?? true)
    }
    precondition(Template.signature(bytes).map { $0.count == 64 } ?? true)
    precondition(
        !Template.isSealed(bytes, hasPolicy: true) || !Template.isSealed(bytes, hasPolicy: false))
}

private func read<T: Equatable>(
    _ bytes: [UInt8], _ parse: ([UInt8]) throws(AttestationError) -> T
) -> T? {
    do throws(AttestationError) {
        let value = try parse(bytes)
        precondition(
            (try? parse(bytes + [0])) == nil && (try? parse(bytes.dropLast())) == nil,
            "a structure of another length is accepted")
        precondition((try? parse(bytes)) == value)
        return value
    } catch {
        precondition(error.reason.isPrintable && !error.reason.isEmpty)
        return nil
    }
}

/// Checks that a certification of the area's name is read as one.
private func check(_ area: TPMPublic, _ bytes: [UInt8]) {
    let name = area.name(of: bytes)
    precondition(name.starts(with: bytes[2..<4]) && [34, 50, 66].contains(name.count))
    let head: [UInt8] = [0xff, 0x54, 0x43, 0x47, 0x80, 0x17, 0, 0]
    let clock = [UInt8](repeating: 0, count: 25)
    let written = head + Write.counted([1]) + clock + Write.counted(name) + Write.counted([])
    let attest = try? TPMAttest(written)
    precondition(attest?.name == name && attest?.extraData == [1])
    guard let again = try? DevicePublicKey(spki: area.key.spki) else {
        preconditionFailure("a written key cannot be read again")
    }
    precondition(again == area.key)
}
