import MienCore

@testable import MienDocument

/// Zones made in another way than the product reads them: from parts of text, with check digits
/// computed by the standard's words.
enum MadeZone {
    static let alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// The check digit by position in the alphabet.
    static func digit(_ text: String) -> String {
        var sum = 0
        for (index, character) in text.enumerated() {
            let value =
                character == "<"
                ? 0
                : alphabet.distance(
                    from: alphabet.startIndex, to: alphabet.firstIndex(of: character)!)
            sum += value * [7, 3, 1][index % 3]
        }
        return String(sum % 10)
    }

    static func padded(_ text: String, _ count: Int) -> String {
        String((text + String(repeating: "<", count: count)).prefix(count))
    }

    struct Fields {
        var code = "P<"
        var issuer = "UTO", nationality = "UTO"
        var number = "L898902C3"
        var birth = "740812", sex = "F", expiry = "120415"
        var optional = "ZE184226B", optional2 = ""
        var names = "ERIKSSON<<ANNA<MARIA"
    }

    static func lines(_ format: MRZFormat, _ f: Fields) -> [String] {
        let number = padded(f.number, 9)
        let birth = f.birth + digit(f.birth), expiry = f.expiry + digit(f.expiry)
        switch format {
        case .td3:
            let optional = padded(f.optional, 14)
            let last = f.optional.isEmpty ? "<" : digit(optional)
            let head = number + digit(number)
            return [
                f.code + f.issuer + padded(f.names, 39),
                head + f.nationality + birth + f.sex + expiry + optional + last
                    + digit(head + birth + expiry + optional + last),
            ]
        case .td2:
            let (head, rest) = long(f, optionalLength: 7)
            return [
                f.code + f.issuer + padded(f.names, 31),
                head + f.nationality + birth + f.sex + expiry + rest
                    + digit(head + birth + expiry + rest),
            ]
        case .td1:
            let (head, rest) = long(f, optionalLength: 15)
            let second = padded(f.optional2, 11)
            return [
                f.code + f.issuer + head + rest,
                birth + f.sex + expiry + f.nationality + second
                    + digit(head + rest + birth + expiry + second),
                padded(f.names, 30),
            ]
        case .visaA, .visaB:
            let length = format.lineLength
            return [
                f.code + f.issuer + padded(f.names, length - 5),
                padded(
                    number + digit(number) + f.nationality + birth + f.sex + expiry + f.optional,
                    length),
            ]
        case .frenchCard:
            let first = "IDFRA" + padded(f.names, 25) + padded(f.optional, 6)
            let number = padded(f.number, 12)
            let second = number + digit(number) + padded(f.optional2, 14) + birth + f.sex
            return [first, second + digit(first + second)]
        }
    }

    /// The number with its check digit, and the optional data after what does not fit of the number.
    private static func long(_ f: Fields, optionalLength: Int) -> (head: String, rest: String) {
        guard f.number.count > 9 else {
            let number = padded(f.number, 9)
            return (number + digit(number), padded(f.optional, optionalLength))
        }
        return (
            String(f.number.prefix(9)) + "<",
            padded(f.number.dropFirst(9) + digit(f.number) + "<" + f.optional, optionalLength)
        )
    }

    static func random(_ format: MRZFormat, _ random: inout SeededGenerator) -> Fields {
        func text(_ characters: String, _ counts: ClosedRange<Int>, _ random: inout SeededGenerator)
            -> String
        {
            let characters = Array(characters), count = Int.random(in: counts, using: &random)
            return String(
                (0..<count).map { _ in characters[random.index(below: characters.count)] })
        }
        let letters = String(alphabet.dropFirst(10))
        func date(_ random: inout SeededGenerator) -> String {
            let month = 1 + random.index(below: 12)
            let parts = [
                random.index(below: 100), month,
                1 + random.index(below: CalendarDate.days(inMonth: month, of: 2001)),
            ]
            return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
        }
        var f = Fields()
        f.code =
            switch format {
            case .td3: "P<"
            case .td1: "ID"
            case .td2: "I<"
            case .visaA, .visaB: "V<"
            case .frenchCard: "ID"
            }
        let known = IssuerCode.known.sorted()
        f.issuer = format == .frenchCard ? "FRA" : known[random.index(below: known.count)]
        if format == .td2, f.issuer == "FRA" { f.issuer = "D<<" }
        f.nationality = known[random.index(below: known.count)]
        f.number = text(
            alphabet,
            format == .frenchCard
                ? 12...12 : format == .td1 ? 1...15 : format == .td2 ? 1...13 : 1...9, &random)
        f.birth = date(&random)
        f.expiry = date(&random)
        f.sex = String("FMX<".randomElement(using: &random)!)
        if format == .frenchCard { f.sex = "F" }
        f.optional = text(alphabet, 0...(format == .td2 ? 2 : 5), &random)
        f.optional2 = text(letters, 0...6, &random)
        f.names =
            text(letters, 1...9, &random)
            + (format == .frenchCard ? "" : "<<" + text(letters, 1...9, &random))
        return f
    }
}
