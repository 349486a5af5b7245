internal import MienIdentity

/// Reads any bytes as a reference registry, whole and in pieces, and compares its people.
///
/// Must hold: pieces of any size give the same rows or the same error; a person agrees with
/// themselves, and comparing is symmetric.
func fuzzRegistry(_ bytes: [UInt8]) {
    let rows = read(bytes, pieces: bytes.count)
    for size in [1, 7] where bytes.count < 2048 { precondition(read(bytes, pieces: size) == rows) }
    let people = rows.rows.prefix(8).compactMap { try? PersonalData($0.input) }
    for person in people {
        precondition(person.scores(against: person).agrees)
        precondition(!person.blockingTexts.isEmpty)
        for other in people {
            precondition(person.scores(against: other) == other.scores(against: person))
        }
    }
}

private struct Read: Equatable {
    var rows: [RegistryRow] = []
    var error: RegistryFileError?
}

private func read(_ bytes: [UInt8], pieces: Int) -> Read {
    var file = RegistryFile(), result = Read()
    do throws(RegistryFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            result.rows += try file.read(rest.prefix(max(1, pieces)))
            rest = rest.dropFirst(max(1, pieces))
        }
        if let last = try file.finish() { result.rows.append(last) }
    } catch {
        // Rows before the error depend on the pieces.
        result = Read(error: error)
    }
    return result
}
