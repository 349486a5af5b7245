internal import MienCore
internal import MienDocument

extension Specimen {
    /// The month, day, and year, as on American cards; on Canadian ones the year comes first. Unknown
    /// parts are zeros.
    func cardDate(
        _ date: CalendarDate, _ separator: String,
        without unknown: SpecimenPerson.UnknownBirth = .nothing
    ) -> String {
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        let parts = [
            unknown == .dayAndMonth ? "00" : two(date.month),
            unknown == .nothing ? two(date.day) : "00",
        ]
        return (issuer.isCanadian ? ["\(date.year)"] + parts : parts + ["\(date.year)"]).joined(
            separator: separator)
    }

    /// Year, month, and day without separators: on Canadian cards and in version 1.
    private func encoded(
        _ date: CalendarDate, without unknown: SpecimenPerson.UnknownBirth = .nothing
    ) -> String {
        let text = cardDate(date, "", without: unknown)
        return issuer.version == 1 && !issuer.isCanadian
            ? String(text.suffix(4) + text.prefix(4)) : text
    }

    /// Canadian postal codes have letters and digits.
    var postalCode: String {
        guard issuer.isCanadian else { return person.postalCode }
        let digits = Array(person.postalCode)
        return "K\(digits[0])A \(digits[1])B\(digits[2])"
    }

    /// The text of a card's barcode by the version of the standard.
    ///
    /// Version 1 has a full name, no version of the jurisdiction, and dates that begin with the year;
    /// versions 2 and 3 have given names in one element. A name that a person does not have is
    /// `NONE`.
    func cardText() -> [UInt8] {
        let family = person.familyName.isEmpty ? "NONE" : plainNames.family
        let stated = plainNames.given.split(separator: "<").map(String.init)
        let given = stated.isEmpty ? ["NONE"] : stated, version = issuer.version
        let names =
            switch version {
            case 1: ["DAA" + ([family] + given).joined(separator: ",")]
            case 2, 3: ["DCS" + family, "DCT" + given.joined(separator: ",")]
            default:
                [
                    "DCS" + family, "DAC" + (given.first ?? ""),
                    "DAD" + given.dropFirst().joined(separator: ","),
                ]
            }
        let height = issuer.isCanadian ? "DAU178 cm" : version == 1 ? "DAU510" : "DAU070 in"
        var elements = names
        elements += version == 1 ? ["DARE", "DASNONE", "DATNONE"] : ["DCAE", "DCBNONE", "DCDNONE"]
        elements += [
            "DBA" + encoded(person.expiry), "DBD" + encoded(person.issue),
            "DBB" + encoded(person.birth, without: person.unknownBirth),
            "DBC" + (person.sex == .male ? "1" : "2"), "DAYBRO",
            height, "DAG" + Self.plain(person.street), "DAI" + Self.plain(person.city),
            "DAJ" + issuer.code, "DAK" + postalCode + (issuer.isCanadian ? "" : "0000"),
            "DAQ" + person.number,
        ]
        if version > 1 {
            elements += [
                "DCF" + person.number + "01", "DCG" + (issuer.isCanadian ? "CAN" : "USA"),
            ]
        }
        if version > 4 { elements += ["DDEN", "DDFN", "DDGN"] }
        let subfile = "DL" + elements.joined(separator: "\n") + "\r"
        func padded(_ n: Int, _ count: Int) -> String {
            String((String(repeating: "0", count: count) + String(n)).suffix(count))
        }
        let header =
            "@\n\u{1E}\rANSI " + (issuer.issuerNumber ?? "636010") + padded(version, 2)
            + (version == 1 ? "" : "00") + "01"
        let offset = header.utf8.count + 10
        return Array(
            (header + "DL" + padded(offset, 4) + padded(subfile.utf8.count, 4) + subfile).utf8)
    }

    private static func plain(_ text: String) -> String {
        text.split(separator: " ").map { word in
            word.allSatisfy(\.isNumber)
                ? String(word) : Transliteration.recommended(String(word)) ?? "X"
        }.joined(separator: " ")
    }
}
