import MienVault

/// Reads any bytes as a sealed record, and a genuine record that is changed as the bytes say.
///
/// Must hold: only the genuine record under its own identity opens, and it yields its own content.
/// Every refusal is a `SealError`.
func fuzzSealedRecord(_ bytes: [UInt8]) {
    open(bytes, identity: identity)
    // The first byte is how much of the genuine record stays. Pairs of index and mask change it,
    // and the remaining bytes follow it.
    guard let first = bytes.first else { return }
    var record = Array(genuine.prefix(first == 0 ? genuine.count : Int(first)))
    for pair in stride(from: 1, to: min(bytes.count - 1, 17), by: 2) where !record.isEmpty {
        record[Int(bytes[pair]) % record.count] ^= bytes[pair + 1]
    }
    record += bytes.dropFirst(17)
    open(record, identity: identity)
    open(genuine, identity: bytes)
}

private let identity = Array("record 1".utf8),
    content = Array("what only the holder of the key reads".utf8)
private let sealer = RecordSealer(
    key: MasterKey(bytes: Array(1...32)), purpose: SealPurpose(label: "mien/v1/fuzz"))
private let genuine = sealer.seal(content, identity: identity)

private func open(_ record: [UInt8], identity given: [UInt8]) {
    guard given.count <= 65_535 else { return }
    do throws(SealError) {
        let opened = try sealer.open(record, identity: given)
        precondition(
            record == genuine && given == identity && opened == content,
            "a forged record opens")
    } catch {
        precondition(record != genuine || given != identity, "the genuine record does not open")
        precondition(!error.description.isEmpty)
    }
}
