import MienCore

/// Reads any bytes as a backup's manifest, and genuine pieces of a sealed file that are changed as
/// the bytes say.
///
/// Must hold: a manifest that is read stays the same when written and read again, and names no path;
/// only genuine pieces in their order open, and they yield their own content.
func fuzzBackup(_ bytes: [UInt8]) {
    if let manifest = try? BackupManifest(bytes: bytes) {
        guard let again = try? BackupManifest(bytes: manifest.bytes) else {
            preconditionFailure("a written manifest cannot be read")
        }
        precondition(again == manifest && again.authenticated == manifest.authenticated)
        precondition(manifest.files.allSatisfy { !$0.fileName.contains("/") })
    }
    // The first byte says which piece, the second whether it claims to be the last. Pairs of index
    // and mask change it, and the rest follows it.
    guard bytes.count >= 2 else { return }
    let index = Int(bytes[0]) % pieces.count, isLast = bytes[1] & 1 == 1
    var piece = pieces[index]
    for pair in stride(from: 2, to: min(bytes.count - 1, 14), by: 2) {
        piece[Int(bytes[pair]) % piece.count] ^= bytes[pair + 1]
    }
    piece += bytes.dropFirst(14)
    var opener = StreamOpener(key.fileKey("database"))
    let opened = opener.open(piece, isLast: isLast)
    precondition(
        (opened == contents[index]) == (index == 0 && piece == pieces[0] && !isLast),
        "a forged piece opens, or a genuine one does not")
    precondition(opened == nil || opened == contents[0])
    if opened != nil {
        precondition(opener.open(pieces[1], isLast: true) == contents[1] && opener.hasEnded)
        precondition(opener.open(pieces[1], isLast: true) == nil)
    }
}

private let key = BackupKey(Array(1...32))
private let contents: [[UInt8]] = [Array(0..<40), Array("the end".utf8)]
private let pieces: [[UInt8]] = {
    var sealer = StreamSealer(key.fileKey("database"))
    return contents.enumerated().map { sealer.seal($1, isLast: $0 == 1) }
}()
