internal import MienCore

extension DocumentFields {
    /// Compares every field with that of another source.
    func compared(with other: Self) -> [DocumentCheck] {
        func check(_ name: DocumentCheck.Name, _ verdict: DocumentCheck.Verdict) -> DocumentCheck {
            DocumentCheck(name: name, verdict: verdict, sources: [source, other.source])
        }
        func same<Value: Equatable>(_ a: Value?, _ b: Value?) -> DocumentCheck.Verdict {
            guard let a, let b else { return .notChecked(.missing) }
            return .init(a == b)
        }
        func plainNumber(_ text: String) -> String {
            let plain = Self.plainCode(text)
            return Self.isPrinted(self, other) ? PrintedText.folded(plain) : plain
        }
        /// Nothing, instead of a failure, for printed text that is nearly the same, and for text
        /// that was probably misread.
        func unclear(_ field: Field, _ verdict: DocumentCheck.Verdict, _ a: String?, _ b: String?)
            -> DocumentCheck.Verdict
        {
            guard verdict == .failed, Self.isPrinted(self, other), let a = a.map(Self.plainText),
                let b = b.map(Self.plainText)
            else { return verdict }
            if PrintedText.isNearlySame(a, b) { return .notChecked(.unclear) }
            return isUnsure(field, other) || !PrintedText.resembles(a, b)
                ? .notChecked(.doubtful) : verdict
        }
        /// Does the same for dates. A printed date may also be another date of the document, found
        /// beside the wrong label.
        func sure(_ field: Field, _ a: CalendarDate?, _ b: CalendarDate?)
            -> DocumentCheck.Verdict
        {
            let verdict = same(a, b)
            guard verdict == .failed, Self.isPrinted(self, other), let a, let b else {
                return verdict
            }
            let isElsewhere = dates.contains(b) || other.dates.contains(a)
            return isUnsure(field, other) || isElsewhere || !a.resembles(b)
                ? .notChecked(.doubtful) : verdict
        }
        // Two different letters have nothing in common.
        let sexes = same(sex, other.sex)
        return [
            check(
                .sameNumber,
                unclear(
                    .number, same(number.map(plainNumber), other.number.map(plainNumber)), number,
                    other.number)),
            check(
                .sameFamilyName,
                unclear(.familyName, familyNameVerdict(other), familyName, other.familyName)),
            check(
                .sameGivenNames,
                unclear(
                    .givenNames, givenNamesVerdict(other), givenNames.joined(separator: " "),
                    other.givenNames.joined(separator: " "))),
            check(.sameBirth, sure(.birth, birth, other.birth)),
            check(.sameExpiry, sure(.expiry, expiry, other.expiry)),
            check(.sameIssue, sure(.issue, issue, other.issue)),
            check(
                .sameSex,
                sexes == .failed && Self.isPrinted(self, other) ? .notChecked(.doubtful) : sexes),
            check(.sameCountry, same(country, other.country)),
            check(.sameNationality, same(nationality, other.nationality)),
            check(
                .samePostalCode,
                same(
                    postalCode.map(Self.plainPostalCode), other.postalCode.map(Self.plainPostalCode)
                )),
        ]
    }

    private var dates: [CalendarDate] { [birth, issue, expiry].compactMap(\.self) }

    private func isUnsure(_ field: Field, _ other: Self) -> Bool {
        unsure.contains(field) || other.unsure.contains(field)
    }

    /// Whether one of two numbers was printed, so that OCR may have mistaken 0 for O and the like.
    private static func isPrinted(_ a: Self, _ b: Self) -> Bool {
        a.source == .visualZone || b.source == .visualZone
    }

    /// In the letters of machine-readable zones, as far as these have them.
    private static func plainText(_ text: String) -> String {
        plainCode(plain(text.words)?.joined() ?? text)
    }

    /// Without spaces and hyphens, in capitals.
    private static func plainCode(_ text: String) -> String {
        text.uppercased().filter { $0 != " " && $0 != "-" && $0 != "<" }
    }

    /// As ``plainCode(_:)``; of an American code, the first five digits.
    private static func plainPostalCode(_ text: String) -> String {
        let plain = plainCode(text)
        return plain.utf8.count == 9 && plain.utf8.allSatisfy { (48...57).contains($0) }
            ? String(plain.prefix(5)) : plain
    }

    private func familyNameVerdict(_ other: Self) -> DocumentCheck.Verdict {
        guard let a = familyName, let b = other.familyName else { return .notChecked(.missing) }
        return Self.verdict(
            a.words, b.words, shortened: hasShortenedNames, otherShortened: other.hasShortenedNames,
            allowingMoreWords: false)
    }

    /// One may have more given names than the other.
    private func givenNamesVerdict(_ other: Self) -> DocumentCheck.Verdict {
        guard !givenNames.isEmpty, !other.givenNames.isEmpty else { return .notChecked(.missing) }
        return Self.verdict(
            givenNames, other.givenNames, shortened: hasShortenedNames,
            otherShortened: other.hasShortenedNames, allowingMoreWords: true)
    }

    /// Transliterates one side, so one of the two must be in A–Z, as machine-readable zones and
    /// American cards are; if neither is, both are transliterated in the recommended way.
    private static func verdict(
        _ a: [String], _ b: [String], shortened: Bool, otherShortened: Bool, allowingMoreWords: Bool
    ) -> DocumentCheck.Verdict {
        guard let plainA = plain(a), let plainB = plain(b) else { return .notChecked(.script) }
        // The same words in another order.
        if plainA.sorted() == plainB.sorted(), !plainA.isEmpty { return .passed }
        let results = [
            (plainA, b, shortened), (plainB, a, otherShortened),
        ].map { words, name, isShortened in
            Transliteration.matches(
                words, name.joined(separator: " "), allowingMoreWords: allowingMoreWords,
                mayBeTruncated: isShortened)
        }
        if results.contains(true) { return .passed }
        let isFree = (a + b).contains { Transliteration.isSpelledFreely($0) }
        return results.contains(nil) || isFree ? .notChecked(.script) : .failed
    }

    private static func plain(_ words: [String]) -> [String]? {
        var out: [String] = []
        for word in words {
            guard let text = Transliteration.recommended(word) else { return nil }
            out += text.split(separator: "<").map(String.init)
        }
        return out
    }
}

extension CalendarDate {
    /// Whether at least half of the digits agree.
    fileprivate func resembles(_ other: Self) -> Bool {
        zip(description.utf8, other.description.utf8).count { $0 == $1 && $0 != UInt8(ascii: "-") }
            >= 4
    }
}

extension String {
    fileprivate var words: [String] { split { $0 == " " || $0 == "," }.map(String.init) }
}
