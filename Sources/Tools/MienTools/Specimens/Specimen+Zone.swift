internal import MienCore
internal import MienDocument

extension Specimen {
    /// Fills the number and the optional data by the issuer's rules, and the zone of the format.
    mutating func setZone(_ format: MRZFormat, _ random: inout SeededGenerator) {
        if let number = issuer.number(format, &random) { person.number = number }
        // National numbers and Poland's cards have check digits: try until they are right. The rules
        // themselves are tested with numbers that the issuers publish.
        for _ in 0..<3000 {
            let optional = issuer.personalNumber(format, birth: person.birth, &random)
            let lines = zoneLines(format, optional: optional)
            zone = lines
            guard let read = try? MachineReadableZone(lines: lines) else { return }
            let failed = IdentityDocument(zone: read).checks(now: Instant(seconds: 1_760_000_000))
                .filter { $0.verdict == .failed }.map(\.name)
            if !failed.contains(.personalNumber), !failed.contains(.numberFormat) { return }
            if failed.contains(.numberFormat), let number = issuer.number(format, &random) {
                person.number = number
            }
        }
    }

    private static func padded(_ text: String, _ count: Int) -> String {
        String((text + String(repeating: "<", count: count)).prefix(count))
    }

    private static func digit(_ text: String) -> String {
        MRZCheckDigit.of(text).map { String($0) } ?? "0"
    }

    private static func short(_ date: CalendarDate) -> String {
        String(date.description.filter { $0 != "-" }.dropFirst(2))
    }

    /// Switzerland and Utopia write zeros for what is unknown, other states write fillers.
    private var shortBirth: String {
        let text = Self.short(person.birth)
        let unknown = ["CHE", "UTO"].contains(issuer.code) ? "00" : "<<"
        return switch person.unknownBirth {
        case .nothing: text
        case .day: text.prefix(4) + unknown
        case .dayAndMonth: text.prefix(2) + unknown + unknown
        }
    }

    var plainNames: (family: String, given: String) {
        func plain(_ text: String) -> String { Transliteration.recommended(text) ?? "X" }
        return (plain(person.familyName), person.givenNames.map(plain).joined(separator: "<"))
    }

    var sexLetter: String { person.sex == .female ? "F" : "M" }

    /// The number with its digit, and what does not fit of it, with the digit after it instead.
    private var numberField: (head: String, tail: String) {
        let number = person.number
        guard number.utf8.count > 9 else {
            let head = Self.padded(number, 9)
            return (head + Self.digit(head), "")
        }
        let head = String(number.prefix(9)), tail = String(number.dropFirst(9))
        return (head + "<", tail + Self.digit(head + "<" + tail) + "<")
    }

    func zoneLines(_ format: MRZFormat, optional: String = "") -> [String] {
        let names = plainNames.family + "<<" + plainNames.given, code = issuer.code
        let birth = shortBirth, expiry = Self.short(person.expiry)
        let dates = birth + Self.digit(birth) + sexLetter + expiry + Self.digit(expiry)
        let (head, tail) = numberField
        let checked = dates.prefix(7) + dates.dropFirst(8)
        switch format {
        case .td1:
            let rest = Self.padded(tail, 15), second = Self.padded(optional, 11)
            return [
                "ID" + code + head + rest,
                dates + code + second + Self.digit(head + rest + checked + second),
                Self.padded(names, 30),
            ]
        case .td2:
            let rest = Self.padded(tail + optional, 7)
            return [
                Self.padded("I<" + code + names, 36),
                head + code + dates + rest + Self.digit(head + checked + rest),
            ]
        case .td3:
            let rest = Self.padded(optional, 14)
            let filled = rest + (optional.isEmpty ? "<" : Self.digit(rest))
            return [
                Self.padded("P<" + code + names, 44),
                head + code + dates + filled + Self.digit(head + checked + filled),
            ]
        case .visaA, .visaB:
            let length = format.lineLength
            return [
                Self.padded("V<" + code + names, length),
                Self.padded(head + code + dates + optional, length),
            ]
        case .frenchCard: return frenchLines(birth)
        }
    }

    /// The national layout: year and month of issue, office, and a number of five digits; given names
    /// are in the second line.
    private func frenchLines(_ birth: String) -> [String] {
        let first = Self.padded("IDFRA" + plainNames.family, 30) + "75C001"
        let number = Self.padded(person.number, 12)
        let second =
            number + Self.digit(number)
            + Self.padded(plainNames.given.replacing("<", with: "<<"), 14) + birth
            + Self.digit(birth) + sexLetter
        return [first, second + Self.digit(first + second)]
    }

    /// The number of a French card: year and month of issue, department, and a number.
    mutating func setFrenchNumber(_ random: inout SeededGenerator) {
        let issue = Self.short(person.issue).prefix(4)
        person.number =
            issue + "75"
            + (0..<6).map { _ in
                String(Int.random(in: 0...9, using: &random))
            }.joined()
        zone = zoneLines(.frenchCard)
    }
}
