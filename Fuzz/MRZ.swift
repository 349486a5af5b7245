internal import MienCore
internal import MienDocument

/// Reads any text as a machine-readable zone, and checks it. Seeds: Fuzz/Seeds/MRZ.
///
/// Must hold: the result is an error with a documented code that repeats nothing of the input, or a
/// zone whose lines read back, whose parts are within its lines, and whose checks are the same each
/// time.
func fuzzMRZ(_ bytes: [UInt8]) {
    let zone: MachineReadableZone
    do { zone = try MachineReadableZone(String(decoding: bytes, as: UTF8.self)) } catch {
        precondition([.zoneSize, .zoneCharacter, .zoneType].contains(error.code))
        precondition(error.reason.utf8.allSatisfy { $0 != 10 } && error.reason.utf8.count < 200)
        return
    }
    let lines = zone.lines
    precondition(
        lines.count == zone.format.lineCount
            && lines.allSatisfy { $0.utf8.count == zone.format.lineLength })
    guard let again = try? MachineReadableZone(lines: lines), again == zone else {
        preconditionFailure("the lines do not read back")
    }
    let joined = lines.joined()
    for part in [zone.number, zone.issuer.text] + zone.optionalData + zone.name.primary {
        precondition(part.utf8.count <= joined.utf8.count)
    }
    precondition(zone.hasRightCheckDigits == zone.checkDigits.allSatisfy(\.isRight))
    check(IdentityDocument(zone: zone, input: input(bytes)))
}

/// A person's statement made of the input.
private func input(_ bytes: [UInt8]) -> DocumentFields {
    var fields = DocumentFields(.input)
    let text = String(decoding: bytes.suffix(64), as: UTF8.self)
    fields.familyName = text
    fields.givenNames = text.split(separator: " ").map(String.init)
    fields.number = text
    return fields
}

private func check(_ document: IdentityDocument) {
    for seconds in [Int64.min, -1, 0, 1_800_000_000, .max] {
        let now = Instant(seconds: seconds), checks = document.checks(now: now)
        precondition(checks == document.checks(now: now), "checks differ")
        precondition(checks.contains { $0.name == .notExpired })
    }
}
