/// The fields of a document's printed text, found by their labels.
public struct VisualZone: Sendable {
    /// Empty fields were not found, or not understood.
    public let fields: DocumentFields

    /// More words are ignored.
    public static let maxWords = 400
    /// Words that OCR is less sure of are ignored.
    static let minConfidence = 25.0
    /// Fields with a word of which OCR is less sure are ``DocumentFields/unsure``. Tesseract is above
    /// 90 for what it reads well.
    static let sureConfidence = 80.0

    /// - Parameter order: That of dates, as far as the document's country is known.
    public init(_ words: [PrintedWord], order: PrintedText.DateOrder) {
        let places = -(1 << 20)...(1 << 20)
        let usable = words.prefix(Self.maxWords).filter {
            [$0.left, $0.top, $0.right, $0.bottom].allSatisfy(places.contains)
                && $0.confidence >= Self.minConfidence && $0.height > 0 && $0.right > $0.left
                && !$0.text.isEmpty && $0.text.utf8.count <= PrintedText.maxBytes
        }
        let rows = Self.rows(usable)
        var fields = DocumentFields(.visualZone)
        for (index, row) in rows.enumerated() {
            for label in Self.labels(in: row) {
                let right = Self.value(in: row, after: label)
                let below = Self.value(below: label, rows[(index + 1)...])
                // A label has its value beside it or below it; what fits the field counts.
                for words in label.isBeside ? [right, below] : [below, right] {
                    if Self.set(label.field, words, order, &fields) { break }
                }
            }
        }
        self.fields = fields
    }

    private typealias Field = DocumentFields.Field

    private struct Label {
        var field: Field
        var left, right, top, bottom: Int
        /// The index of the word after the label.
        var end: Int
        /// Whether the value is usually on the same line, as on American cards.
        var isBeside: Bool
        /// Where the next label of the row begins.
        var limit = Int.max
    }

    /// Labels in lower case. American cards number their fields.
    private static let words: [(text: [String], field: Field, isBeside: Bool)] = [
        (["given", "names"], .givenNames, false), (["given", "name"], .givenNames, false),
        (["first", "name"], .givenNames, false), (["vornamen"], .givenNames, false),
        (["prénoms"], .givenNames, false), (["prenoms"], .givenNames, false),
        (["nombre"], .givenNames, false), (["surname"], .familyName, false),
        (["last", "name"], .familyName, false), (["apellidos"], .familyName, false),
        (["date", "of", "birth"], .birth, false), (["geburtsdatum"], .birth, false),
        (["date", "of", "expiry"], .expiry, false), (["date", "of", "expiration"], .expiry, false),
        (["valid", "until"], .expiry, false), (["date", "of", "issue"], .issue, false),
        (["sex"], .sex, false), (["passport", "no"], .number, false),
        (["document", "no"], .number, false), (["document", "number"], .number, false),
        (["number"], .number, false), (["dln"], .number, true), (["dob"], .birth, true),
        (["exp"], .expiry, true), (["iss"], .issue, true), (["1"], .familyName, true),
        (["2"], .givenNames, true),
    ]

    private static func rows(_ words: [PrintedWord]) -> [[PrintedWord]] {
        var rows: [[PrintedWord]] = []
        for word in words.sorted(by: { ($0.middle, $0.left) < ($1.middle, $1.left) }) {
            let fits = rows.lastIndex { row in
                guard let last = row.last else { return false }
                return abs(last.middle - word.middle) * 2 < max(last.height, word.height)
            }
            if let fits { rows[fits].append(word) } else { rows.append([word]) }
        }
        return rows.map { $0.sorted { $0.left < $1.left } }
    }

    private static func labels(in row: [PrintedWord]) -> [Label] {
        var labels: [Label] = [], at = 0
        while at < row.count {
            let match = words.first { entry in
                entry.text.count <= row.count - at
                    && zip(entry.text, row[at...]).allSatisfy { isSame($0, $1.text) }
                    // A number alone is a label only at the start of its line.
                    && (entry.text[0].utf8.count > 1 || at == 0)
            }
            guard let match else {
                at += 1
                continue
            }
            let part = row[at..<at + match.text.count]
            labels.append(
                Label(
                    field: match.field, left: row[at].left, right: part.map(\.right).max() ?? 0,
                    top: part.map(\.top).min() ?? 0, bottom: part.map(\.bottom).max() ?? 0,
                    end: at + match.text.count, isBeside: match.isBeside))
            at += match.text.count
        }
        for index in labels.indices.dropLast() { labels[index].limit = labels[index + 1].left }
        return labels
    }

    /// Whether a word is a label's, with at most one wrong, missing, or extra letter if it has five
    /// or more, and two if it has seven or more.
    private static func isSame(_ label: String, _ word: String) -> Bool {
        let a = Array(label.unicodeScalars)
        let b = Array(
            word.lowercased().unicodeScalars.filter {
                $0.properties.isAlphabetic || ("0"..."9").contains($0)
            })
        let allowed = a.count >= 7 ? 2 : a.count >= 5 ? 1 : 0
        guard abs(a.count - b.count) <= allowed else { return false }
        // Levenshtein's distance, row by row.
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[b.count] <= allowed
    }

    private static func value(in row: [PrintedWord], after label: Label) -> [PrintedWord] {
        let rest = row[label.end...].prefix { $0.left < label.limit }
        return connected(rest, from: label.right, height: label.bottom - label.top)
    }

    /// The first row below that has words under the label. Another label is no value: documents
    /// leave the place empty for people without a family name.
    private static func value(below label: Label, _ rows: ArraySlice<[PrintedWord]>)
        -> [PrintedWord]
    {
        let height = label.bottom - label.top
        for row in rows.prefix(4) {
            let part = row.drop { $0.left < label.left - 2 * height }.prefix {
                $0.left < label.limit - height
            }
            guard let first = part.first, first.left < label.right + 2 * height else { continue }
            guard first.top < label.bottom + 3 * height,
                !labels(in: Array(part)).contains(where: { $0.left == first.left && !$0.isBeside })
            else { return [] }
            return connected(part, from: first.left, height: first.height)
        }
        return []
    }

    /// Words up to a wide gap.
    private static func connected(
        _ words: ArraySlice<PrintedWord>, from start: Int, height: Int
    ) -> [PrintedWord] {
        var end = start, found: [PrintedWord] = []
        for word in words.prefix(12) {
            guard word.left - end < 3 * max(height, word.height) else { break }
            found.append(word)
            end = word.right
        }
        return found
    }

    /// Sets a field that is not set yet.
    /// - Returns: Whether the text fits the field.
    private static func set(
        _ field: Field, _ words: [PrintedWord], _ order: PrintedText.DateOrder,
        _ fields: inout DocumentFields
    ) -> Bool {
        /// - Parameter count: How many of the words the value takes.
        func keep<Value>(
            _ path: WritableKeyPath<DocumentFields, Value?>, _ value: Value?, of count: Int
        ) -> Bool {
            guard let value else { return false }
            if fields[keyPath: path] == nil {
                fields[keyPath: path] = value
                note(count)
            }
            return true
        }
        func note(_ count: Int) {
            if words.prefix(count).contains(where: { $0.confidence < sureConfidence }) {
                fields.unsure.insert(field)
            }
        }
        func text(_ count: Int) -> String {
            words.prefix(count).map(\.text).joined(separator: " ")
        }
        /// The value of the first words: as few as possible, because dirt may follow.
        func first<Value>(
            _ path: WritableKeyPath<DocumentFields, Value?>, _ parse: (String) -> Value?
        ) -> Bool {
            for count in 1...4 where count <= words.count {
                if let value = parse(text(count)) { return keep(path, value, of: count) }
            }
            return false
        }
        let all = words.count
        switch field {
        case .familyName: return keep(\.familyName, PrintedText.name(text(all)), of: all)
        case .givenNames:
            guard let names = PrintedText.name(text(all)) else { return false }
            if fields.givenNames.isEmpty {
                fields.givenNames = names.split(separator: " ").map(String.init)
                note(all)
            }
            return true
        case .number: return first(\.number, PrintedText.number)
        case .birth: return first(\.birth) { PrintedText.date($0, order: order) }
        case .issue: return first(\.issue) { PrintedText.date($0, order: order) }
        case .expiry: return first(\.expiry) { PrintedText.date($0, order: order) }
        case .sex:
            let letter = words.first?.text.uppercased()
            return keep(\.sex, letter == "F" ? .female : letter == "M" ? .male : nil, of: 1)
        }
    }
}
