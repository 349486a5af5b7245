import MienClient
import MienIdentity

/// Divides a CSV file into parts that one request can carry, each with the header row. Memory is
/// bounded by one part.
struct RegistryParts {
    struct Part {
        let bytes: [UInt8]
        /// The number of its first row, counted from 1 without the header.
        let firstRow: Int
        let ids: Set<String>
        /// The line of the file on which each row begins.
        let lines: [Int]
    }

    /// The maximum number of rows of a part. The more rows the server writes together, the fewer
    /// pages it writes for each, and the longer other writes wait.
    static let maxRows = 50_000

    private var file: RegistryFile
    private var rows: [RegistryRow] = []
    private var sent = 0

    /// See ``RegistryFile/letters``.
    var letters: RegistryLetters { file.letters }

    init(_ encoding: RegistryFile.Encoding = .unicode) { file = RegistryFile(encoding) }

    mutating func read(_ bytes: some Sequence<UInt8>) throws(RegistryFileError) -> [Part] {
        rows += try file.read(bytes)
        var parts: [Part] = []
        while rows.count >= Self.maxRows { parts += take(Self.maxRows) }
        return parts
    }

    mutating func finish() throws(RegistryFileError) -> [Part] {
        if let last = try file.finish() { rows.append(last) }
        return take(rows.count)
    }

    /// Returns the first rows, in as many parts as their size needs.
    private mutating func take(_ count: Int) -> [Part] {
        var parts: [Part] = [], bytes = RegistryFile.header, first = sent + 1, ids: Set<String> = []
        var lines: [Int] = []
        func end() {
            if sent >= first {
                parts.append(Part(bytes: bytes, firstRow: first, ids: ids, lines: lines))
            }
            (bytes, first, ids, lines) = (RegistryFile.header, sent + 1, [], [])
        }
        for row in rows.prefix(count) {
            let line = row.line
            if bytes.count + line.count > MienAdmin.maxImportBytes { end() }
            bytes += line
            ids.insert(row.id)
            lines.append(row.fileLine)
            sent += 1
        }
        rows.removeFirst(count)
        end()
        return parts
    }
}
