internal import CMienBarcodeWriter
internal import MienCore
internal import MienDocument
internal import MienPixels

extension Specimen {
    private static let black = RGBColor(25, 25, 30), blue = RGBColor(40, 60, 120)

    /// Draws text; positions and sizes are in millimeters, and `y` is the baseline.
    private mutating func write(
        _ text: String, _ x: Double, _ y: Double, size: Double, label: Bool = false
    ) {
        let mm = Self.resolution
        OutlineFont.sans.draw(
            text, at: Point(x: x * mm, y: y * mm), size: size * mm,
            ink: label ? Self.blue : Self.black, on: &image)
    }

    /// A label with its value below.
    private mutating func write(
        _ label: String, _ value: String, _ x: Double, _ y: Double, size: Double = 3.2
    ) {
        write(label, x, y, size: 1.7, label: true)
        write(value, x, y + size * 1.12, size: size)
    }

    /// - Parameters:
    ///   - x: The left edge of the first character in millimeters.
    ///   - y: The baseline of the first line.
    private mutating func writeZone(_ lines: [String], x: Double, y: Double) {
        let mm = Self.resolution
        for (k, line) in lines.enumerated() {
            // OCR-B of 10 points: 2.54 mm per character, a line every 4.23 mm.
            OutlineFont.ocrB.draw(
                line, at: Point(x: x * mm, y: (y + 4.233 * Double(k)) * mm), size: 3.52 * mm,
                pitch: 2.54 * mm, ink: Self.black, on: &image)
        }
        zone = lines
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

    private var plainNames: (family: String, given: String) {
        func plain(_ text: String) -> String { Transliteration.recommended(text) ?? "X" }
        return (plain(person.familyName), person.givenNames.map(plain).joined(separator: "<"))
    }

    private var sexLetter: String { person.sex == .female ? "F" : "M" }

    func zoneLines(_ format: MRZFormat) -> [String] {
        let names = plainNames.family + "<<" + plainNames.given
        let birth = Self.short(person.birth), expiry = Self.short(person.expiry)
        let dates = birth + Self.digit(birth) + sexLetter + expiry + Self.digit(expiry)
        let number = Self.padded(person.number, 9), head = number + Self.digit(number)
        let checked = dates.prefix(7) + dates.dropFirst(8)
        switch format {
        case .td1:
            let rest = Self.padded("", 15)
            return [
                "ID" + issuer + head + rest,
                dates + issuer + Self.padded("", 11)
                    + Self.digit(head + rest + checked + Self.padded("", 11)),
                Self.padded(names, 30),
            ]
        case .td2:
            let rest = Self.padded("", 7)
            return [
                Self.padded("I<" + issuer + names, 36),
                head + issuer + dates + rest + Self.digit(head + checked + rest),
            ]
        default:
            let rest = Self.padded("", 15)
            return [
                Self.padded("P<" + issuer + names, 44),
                head + issuer + dates + rest + Self.digit(head + checked + rest),
            ]
        }
    }

    mutating func drawTD1(_ altered: (([String]) -> [String])?) {
        write("IDENTITY CARD", 5, 6, size: 3, label: true)
        write("Address", "\(person.postalCode) \(person.city)", 5, 12, size: 2.8)
        write(person.street, 5, 19, size: 2.8)
        write("Date of issue", Self.printed(person.issue), 5, 24, size: 2.8)
        write("Authority", "CITY OF \(person.city)", 45, 24, size: 2.8)
        writeZone(altered?(zoneLines(.td1)) ?? zoneLines(.td1), x: 4.7, y: 37.6)
    }

    /// Day, month, and year, as on European documents.
    private static func printed(_ date: CalendarDate) -> String {
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        return "\(two(date.day)).\(two(date.month)).\(date.year)"
    }

    mutating func drawPage(_ format: MRZFormat, _ altered: (([String]) -> [String])?) {
        let isPassport = format == .td3, x = isPassport ? 44.0 : 34.0
        let size = isPassport ? 3.4 : 3.0, step = isPassport ? 8.4 : 7.2
        write(
            isPassport ? "UTOPIA   PASSPORT" : "UTOPIA   IDENTITY CARD", 5, 8, size: 4, label: true)
        write("Number", person.number, isPassport ? 88 : 74, 6, size: size)
        let fields = [
            ("Surname", person.familyName),
            ("Given names", person.givenNames.joined(separator: " ")), ("Nationality", "UTOPIAN"),
            ("Date of birth", Self.printed(person.birth)),
            ("Date of issue", Self.printed(person.issue)),
            ("Date of expiry", Self.printed(person.expiry)),
        ]
        let top = isPassport ? 16.0 : 14.5
        for (k, field) in fields.enumerated() {
            write(field.0, field.1, x, top + step * Double(k) * 0.92, size: size)
        }
        write("Sex", sexLetter, x + 32, top + step * 3 * 0.92, size: size)
        writeZone(
            altered?(zoneLines(format)) ?? zoneLines(format), x: isPassport ? 6.6 : 6.8,
            y: isPassport ? 75.6 : 62.4)
    }

    /// The month, day, and year, as on American cards.
    private static func american(_ date: CalendarDate, _ separator: String) -> String {
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        return [two(date.month), two(date.day), "\(date.year)"].joined(separator: separator)
    }

    mutating func drawLicense(_ random: inout SeededGenerator) {
        write("FLORIDA", 5, 7, size: 5, label: true)
        write("DRIVER LICENSE", 42, 6.5, size: 3.4, label: true)
        let rows = [
            "4d DLN \(person.number)", "1 \(person.familyName)",
            "2 \(person.givenNames.joined(separator: " "))", "8 \(person.street)",
            "\(person.city), FL \(person.postalCode)",
            "3 DOB \(Self.american(person.birth, "/"))", "15 SEX \(sexLetter)",
            "4a ISS \(Self.american(person.issue, "/"))",
            "4b EXP \(Self.american(person.expiry, "/"))",
        ]
        for (k, row) in rows.enumerated() {
            write(row, 31, 13 + 4.5 * Double(k), size: k == 0 ? 3.2 : 2.9)
        }
    }

    mutating func drawLicenseBack(_ random: inout SeededGenerator) {
        write("RESTRICTIONS  NONE     ENDORSEMENTS  NONE", 6, 7, size: 2, label: true)
        let text = Self.cardText(person, plainNames)
        barcode = text
        var width: Int32 = 0, height: Int32 = 0
        let bytes = text
        let symbol = unsafe bytes.withUnsafeBufferPointer {
            unsafe mien_barcode_write($0.baseAddress, $0.count, &width, &height)
        }
        guard let modules = unsafe symbol else { return }
        defer { unsafe mien_barcode_writer_free(modules) }
        let dark = (0..<Int(width * height)).map { unsafe modules[$0] == 1 }
        // 75 mm wide, as the standard's largest symbols are.
        let mm = Self.resolution
        let area = Rectangle(x: 5 * mm, y: 17 * mm, width: 75.6 * mm, height: 28 * mm)
        var canvas = Canvas(image)
        canvas.filledRectangle(
            Rectangle(
                x: area.x - 2 * mm, y: area.y - 2 * mm, width: area.width + 4 * mm,
                height: area.height + 4 * mm), RGBColor(246, 246, 246))
        let moduleWidth = area.width / Double(width), rowHeight = area.height / Double(height)
        for y in 0..<Int(height) {
            for x in 0..<Int(width) where dark[y * Int(width) + x] {
                canvas.filledRectangle(
                    Rectangle(
                        x: area.x + Double(x) * moduleWidth, y: area.y + Double(y) * rowHeight,
                        width: moduleWidth, height: rowHeight), Self.black)
            }
        }
        image = canvas.image
    }

    /// A card's text by version 8 of the standard.
    private static func cardText(_ person: SpecimenPerson, _ names: (family: String, given: String))
        -> [UInt8]
    {
        let given = names.given.split(separator: "<").map(String.init)
        let elements = [
            "DCAE", "DCBNONE", "DCDNONE", "DBA" + american(person.expiry, ""), "DCS" + names.family,
            "DAC" + (given.first ?? ""), "DAD" + given.dropFirst().joined(separator: ","),
            "DBD" + american(person.issue, ""), "DBB" + american(person.birth, ""),
            "DBC" + (person.sex == .male ? "1" : "2"), "DAYBRO", "DAU070 in",
            "DAG" + plain(person.street), "DAI" + plain(person.city), "DAJFL",
            "DAK" + person.postalCode + "0000", "DAQ" + person.number, "DCF" + person.number + "01",
            "DCGUSA", "DDEN", "DDFN", "DDGN",
        ]
        let subfile = "DL" + elements.joined(separator: "\n") + "\r"
        func four(_ n: Int) -> String { String(String(10_000 + n).dropFirst()) }
        let header = "@\n\u{1E}\rANSI 636010080001"
        let length = subfile.utf8.count
        return Array((header + "DL" + four(31) + four(length) + subfile).utf8)
    }

    private static func plain(_ text: String) -> String {
        text.split(separator: " ").map { word in
            word.allSatisfy(\.isNumber)
                ? String(word) : Transliteration.recommended(String(word)) ?? "X"
        }.joined(separator: " ")
    }
}
