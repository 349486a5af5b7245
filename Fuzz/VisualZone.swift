internal import MienCore
internal import MienDocument

/// Reads any text as the printed text of a document: words, four bytes for the place of each, and
/// a line feed. Seeds: Fuzz/Seeds/VisualZone.
///
/// Must hold: cleaned text is short and stays the same when it is cleaned again; a document whose
/// only source is its printed text has no failed check, and one that states the same twice agrees.
func fuzzVisualZone(_ bytes: [UInt8]) {
    let words = bytes.split(separator: 10).map { line in
        let place = line.prefix(4).map { Int($0) }
        let text = String(decoding: line.dropFirst(4), as: UTF8.self)
        check(text)
        return PrintedWord(
            text, left: place.first ?? 0, top: place.dropFirst().first ?? 0,
            right: (place.first ?? 0) + (place.dropFirst(2).first ?? 0),
            bottom: (place.dropFirst().first ?? 0) + (place.dropFirst(3).first ?? 0))
    }
    for order in PrintedText.DateOrder.allCases {
        let fields = VisualZone(words, order: order).fields
        precondition(fields.source == .visualZone && fields.givenNames.count <= 80)
        let document = IdentityDocument(visualZone: fields, input: fields)
        for check in document.checks(now: Instant(seconds: 1_800_000_000)) {
            precondition(check.verdict != .failed || isName(check.name), "\(check.name)")
        }
    }
}

/// A name that cannot be transliterated, or has no letter, does not agree with itself.
private func isName(_ name: DocumentCheck.Name) -> Bool {
    [.sameFamilyName, .sameGivenNames].contains(name)
}

private func check(_ text: String) {
    if let name = PrintedText.name(text) {
        precondition(name.utf8.count <= PrintedText.maxBytes && PrintedText.name(name) == name)
    }
    if let number = PrintedText.number(text) {
        precondition((5...20).contains(number.utf8.count) && PrintedText.number(number) == number)
    }
    for order in PrintedText.DateOrder.allCases {
        if let date = PrintedText.date(text, order: order) {
            precondition(PrintedText.date(date.description, order: order) == date)
        }
    }
}
