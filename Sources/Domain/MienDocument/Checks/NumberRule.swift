/// Published rules for numbers of documents and of persons.
enum NumberRule {
    /// Checks the document's number by the rule of its issuer.
    static func number(of zone: MachineReadableZone) -> DocumentCheck.Verdict {
        let number = Array(zone.number.utf8), isPassport = zone.format == .td3
        switch zone.issuer.text {
        // Germany, cards since 2010 and passports since 2007: digits and consonants that are not
        // mistaken for digits, nine in all. Source: Personalausweisverordnung, Passverordnung.
        case "D<<":
            return .init(
                number.count == 9
                    && number.allSatisfy { "0123456789CFGHJKLMNPRTVWXYZ".utf8.contains($0) })
        // United Kingdom, passports: nine digits.
        case "GBR" where isPassport: return .init(number.count == 9 && decimal(number) != nil)
        // United States, passports: nine digits, or a letter and eight digits.
        case "USA" where isPassport:
            let tail = isLetter(number.first) ? number.dropFirst() : number[...]
            return .init(number.count == 9 && decimal(tail) != nil)
        // Poland, cards: three letters and six digits, the first of which is a check digit. Source:
        // the ordinance on identity cards; weights 7, 3, 1, 9, 7, 3, 1, 7, 3.
        case "POL" where zone.format == .td1:
            let values = number.compactMap { MRZCheckDigit.value(of: $0) }
            return .init(
                number.count == 9 && number.prefix(3).allSatisfy { isLetter($0) }
                    && decimal(number.suffix(6)) != nil
                    && weighted(values, [7, 3, 1, 9, 7, 3, 1, 7, 3]).isMultiple(of: 10))
        default: return .notChecked(.noRule)
        }
    }

    /// Checks a national number in the optional data.
    static func personalNumber(of zone: MachineReadableZone) -> DocumentCheck.Verdict {
        let issuer = zone.issuer.text
        guard let data = zone.optionalData.first(where: { !$0.isEmpty }) else {
            return ["ESP", "NLD", "POL"].contains(issuer)
                ? .notChecked(.missing) : .notChecked(.noRule)
        }
        let text = Array(data.utf8)
        switch issuer {
        // Spain, the DNI: eight digits and a letter, their remainder of 23.
        case "ESP":
            guard text.count == 9, let number = decimal(text.prefix(8)) else { return .failed }
            return .init(Array("TRWAGMYFPDXBNJZSQVHLCKE".utf8)[number % 23] == text[8])
        // The Netherlands, the BSN: nine digits that pass the test of eleven.
        case "NLD" where zone.format == .td3:
            guard text.count == 9, decimal(text) != nil else { return .failed }
            return .init(
                weighted(text.map { Int($0) - 48 }, [9, 8, 7, 6, 5, 4, 3, 2, -1]).isMultiple(of: 11)
            )
        // Poland, the PESEL: eleven digits with the date of birth and a check digit.
        case "POL":
            guard text.count == 11, decimal(text) != nil else { return .failed }
            let digits = text.map { Int($0) - 48 }
            let isRight = weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).isMultiple(of: 10)
            let year = 10 * digits[0] + digits[1], month = (10 * digits[2] + digits[3]) % 20,
                day = 10 * digits[4] + digits[5]
            let birth = zone.birth
            let agrees =
                birth.map {
                    $0.year ?? year == year && $0.month ?? month == month && $0.day ?? day == day
                }
                ?? false
            return .init(isRight && agrees)
        default: return .notChecked(.noRule)
        }
    }

    private static func isLetter(_ byte: UInt8?) -> Bool {
        byte.map { (65...90).contains($0) } ?? false
    }

    private static func weighted(_ values: [Int], _ weights: [Int]) -> Int {
        zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 }
    }
}
