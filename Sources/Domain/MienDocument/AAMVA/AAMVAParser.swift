/// Splits the text of a card's barcode into header, subfiles, and elements.
struct AAMVAParser {
    struct Parts {
        var header: AAMVAHeader
        var subfiles: [AAMVACard.Subfile]
        var beginning: [UInt8]
    }

    private let bytes: [UInt8]
    private let mode: AAMVACard.Mode

    init(_ bytes: [UInt8], _ mode: AAMVACard.Mode) { (self.bytes, self.mode) = (bytes, mode) }

    private static let lineFeed: UInt8 = 10, recordSeparator: UInt8 = 30, carriageReturn: UInt8 = 13

    func parts() throws(DocumentError) -> Parts {
        let start = try headerStart()
        let (header, end) = try header(at: start)
        switch mode {
        case .strict:
            let subfiles = try strictSubfiles(header)
            let body = subfiles.reduce(0) { $0 + Self.size($1) }
            let beginning = Array(bytes[..<(bytes.count - body)])
            try requireElements(subfiles)
            return Parts(header: header, subfiles: subfiles, beginning: beginning)
        case .lenient:
            let scanned = LenientBody(bytes[end...], types: header.entries.map(\.type)).subfiles()
            guard scanned.subfiles.contains(where: { !$0.elements.isEmpty }) else {
                throw DocumentError(.cardSubfile, "no data element follows the header")
            }
            return Parts(
                header: header, subfiles: scanned.subfiles,
                beginning: Array(bytes[..<end]) + scanned.before)
        }
    }

    private static func size(_ subfile: AAMVACard.Subfile) -> Int {
        subfile.elements.reduce(subfile.start.count) { $0 + 3 + $1.bytes.count + $1.ending.count }
    }

    // MARK: Header

    /// Returns where the file type begins.
    private func headerStart() throws(DocumentError) -> Int {
        let strict: [UInt8] = [
            UInt8(ascii: "@"), Self.lineFeed, Self.recordSeparator, Self.carriageReturn,
        ]
        if bytes.starts(with: strict), Self.isFileType(bytes[4...].prefix(5)) { return 4 }
        guard mode == .lenient else {
            throw DocumentError(
                .cardHeader,
                "the text must begin with @, a line feed, a record separator, a carriage return, and “ANSI ”"
            )
        }
        // Whatever comes before the type: some cards omit the compliance indicator.
        let limit = min(bytes.count, 26)
        if let start = bytes[..<limit].indices.first(where: {
            Self.isFileType(bytes[$0...].prefix(5)) || bytes[$0...].starts(with: "ANSI".utf8)
        }) {
            return start
        }
        throw DocumentError(
            .cardHeader, "within the first 26 bytes there must be “ANSI ” or “AAMVA”")
    }

    private static func isFileType(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.elementsEqual("ANSI ".utf8) || bytes.elementsEqual("AAMVA".utf8)
    }

    /// Returns the header, and where it ends.
    private func header(at start: Int) throws(DocumentError) -> (AAMVAHeader, end: Int) {
        let isOld = bytes[start...].starts(with: "AAMVA".utf8)
        var at = start + (isOld ? 5 : 4)
        if mode == .strict { at = start + 5 }
        while mode == .lenient, at < bytes.count, bytes[at] == 32 { at += 1 }
        let digits = Array(bytes[at...].prefix { (48...57).contains($0) })
        at += digits.count
        let numbers = try numbers(digits)
        var entries: [AAMVAHeader.Entry] = []
        let announced = numbers.entries
        while entries.count < announced || mode == .lenient, entries.count < 99,
            let entry = entry(at: at)
        {
            entries.append(entry)
            at += 10
        }
        if mode == .strict, entries.count != announced || announced == 0 {
            throw DocumentError(
                .cardHeader,
                "the header announces \(announced) subfiles, but the directory has \(entries.count) valid lines"
            )
        }
        let header = AAMVAHeader(
            fileType: isOld ? "AAMVA" : "ANSI ", issuerNumber: numbers.issuer,
            version: numbers.version, jurisdictionVersion: numbers.own,
            announcedEntries: announced, entries: entries)
        return (header, at)
    }

    /// The numbers of the header: issuer 6 digits, version 2, jurisdiction version 2 (not in the
    /// first layout), entries 2. Old cards omit the issuer's first digit, or numbers at the end.
    private func numbers(_ digits: [UInt8]) throws(DocumentError) -> (
        issuer: String, version: Int, own: Int?, entries: Int
    ) {
        let issuer = textOf(Array(digits.prefix(6))), completed = "6" + issuer.prefix(5)
        let isShort =
            mode == .lenient && Jurisdiction(issuerNumber: issuer) == nil
            && Jurisdiction(issuerNumber: completed) != nil
        let rest = digits.dropFirst(isShort ? 5 : 6)
        let isComplete = rest.count == 4 || rest.count == 6
        guard isComplete || mode == .lenient && (isShort || digits.count >= 6) else {
            throw DocumentError(
                .cardHeader,
                "10 or 12 digits must follow the file type: issuer, versions, and number of subfiles; found \(digits.count)"
            )
        }
        // Fewer than four digits are a version alone.
        let version = decimal(rest.count < 4 ? rest : rest.prefix(2)) ?? 0
        return (
            isShort ? completed : issuer, version,
            rest.count >= 6 ? decimal(rest.dropFirst(2).prefix(2)) : nil,
            rest.count < 4 ? 0 : decimal(rest.dropFirst(rest.count >= 6 ? 4 : 2).prefix(2)) ?? 0
        )
    }

    private func entry(at start: Int) -> AAMVAHeader.Entry? {
        guard start + 10 <= bytes.count, Self.isType(bytes[start..<start + 2]),
            let offset = decimal(bytes[start + 2..<start + 6]),
            let length = decimal(bytes[start + 6..<start + 10])
        else { return nil }
        return AAMVAHeader.Entry(
            type: textOf(Array(bytes[start..<start + 2])), offset: offset, length: length)
    }

    static func isType(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 2 && bytes.allSatisfy { (65...90).contains($0) }
    }

    // MARK: Strict body

    private func strictSubfiles(_ header: AAMVAHeader) throws(DocumentError) -> [AAMVACard.Subfile]
    {
        var subfiles: [AAMVACard.Subfile] = [], expected: Int?
        for entry in header.entries {
            let range = entry.offset..<(entry.offset + entry.length)
            guard entry.length > 3, range.upperBound <= bytes.count,
                expected.map({ $0 == entry.offset }) ?? true,
                bytes[range].starts(with: entry.type.utf8),
                bytes[range.upperBound - 1] == Self.carriageReturn
            else {
                throw DocumentError(
                    .cardSubfile,
                    "the directory's line for subfile \(subfiles.count + 1) must name adjoining bytes that begin with the subfile's type and end with a carriage return"
                )
            }
            expected = range.upperBound
            subfiles.append(try strictSubfile(entry.type, bytes[range]))
        }
        guard expected == bytes.count else {
            throw DocumentError(.cardSubfile, "the last subfile must end with the text")
        }
        let ids = subfiles.flatMap(\.elements).map(\.id)
        guard Set(ids).count == ids.count else {
            throw DocumentError(.cardElement, "a data element occurs twice")
        }
        return subfiles
    }

    private func strictSubfile(_ type: String, _ bytes: ArraySlice<UInt8>) throws(DocumentError)
        -> AAMVACard.Subfile
    {
        let start = bytes.startIndex + 2
        var elements: [AAMVAElement] = []
        let lines = bytes[start..<(bytes.endIndex - 1)].split(
            separator: Self.lineFeed, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard line.count >= 3, ElementID.isOne(line.prefix(3)),
                !line.contains(Self.carriageReturn)
            else {
                // A line feed may end the last element, too.
                if index == lines.count - 1, line.isEmpty, let last = elements.popLast() {
                    elements.append(
                        AAMVAElement(
                            id: last.id, value: last.value, bytes: last.bytes,
                            ending: [Self.lineFeed, Self.carriageReturn]))
                    break
                }
                throw DocumentError(
                    .cardElement,
                    "element \(index + 1) of a subfile must begin with its three-letter identifier")
            }
            elements.append(
                element(
                    line,
                    ending: index == lines.count - 1 ? [Self.carriageReturn] : [Self.lineFeed]))
        }
        return AAMVACard.Subfile(type: type, elements: elements, start: Array(type.utf8))
    }

    private func element(_ line: ArraySlice<UInt8>, ending: [UInt8]) -> AAMVAElement {
        let value = Array(line.dropFirst(3))
        return AAMVAElement(
            id: AAMVAElementID(rawValue: textOf(Array(line.prefix(3)))), value: textOf(value),
            bytes: value, ending: ending)
    }

    private func requireElements(_ subfiles: [AAMVACard.Subfile]) throws(DocumentError) {
        let ids = Set(subfiles.flatMap(\.elements).map(\.id))
        for id in [AAMVAElementID.number, .birth, .expiry] where !ids.contains(id) {
            throw DocumentError(.cardElement, "the required element \(id.rawValue) is missing")
        }
        guard !ids.isDisjoint(with: [.familyName, .fullName, .oldFamilyName]) else {
            throw DocumentError(
                .cardElement, "an element with the family name is missing: DCS, DAB, or DAA")
        }
    }
}

enum ElementID {
    /// Whether three bytes can be an element's identifier: D and A–D, or Z, and letters.
    static func isOne(_ id: ArraySlice<UInt8>) -> Bool {
        let id = Array(id)
        guard id.count == 3, id.allSatisfy({ (65...90).contains($0) }) else { return false }
        return id[0] == UInt8(ascii: "Z") || id[0] == UInt8(ascii: "D") && (65...68).contains(id[1])
    }
}
