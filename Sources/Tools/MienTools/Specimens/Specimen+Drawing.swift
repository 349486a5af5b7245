internal import CMienReading
internal import MienCore
internal import MienDocument
internal import MienFace

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
    private mutating func writeZone(x: Double, y: Double) {
        let mm = Self.resolution
        for (k, line) in (zone ?? []).enumerated() {
            // OCR-B of 10 points: 2.54 mm per character, a line every 4.23 mm.
            OutlineFont.ocrB.draw(
                line, at: Point(x: x * mm, y: (y + 4.233 * Double(k)) * mm), size: 3.52 * mm,
                pitch: 2.54 * mm, ink: Self.black, on: &image)
        }
    }

    mutating func drawTD1() {
        write("IDENTITY CARD", 5, 6, size: 3, label: true)
        write("Address", "\(person.postalCode) \(person.city)", 5, 12, size: 2.8)
        write(person.street, 5, 19, size: 2.8)
        write("Date of issue", Self.printed(person.issue), 5, 24, size: 2.8)
        write("Authority", "CITY OF \(person.city)", 45, 24, size: 2.8)
        writeZone(x: 4.7, y: 37.6)
    }

    /// Day, month, and year, as on European documents.
    private static func printed(_ date: CalendarDate) -> String {
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        return "\(two(date.day)).\(two(date.month)).\(date.year)"
    }

    /// The date of birth as ``printed(_:)``, with zeros for unknown parts.
    private var printedBirth: String {
        let text = Self.printed(person.birth)
        return switch person.unknownBirth {
        case .nothing: text
        case .day: "00" + text.dropFirst(2)
        case .dayAndMonth: "00.00" + text.dropFirst(5)
        }
    }

    /// The issuer's name in the heading; codes stand for states.
    private var heading: String {
        issuer == .utopia ? "UTOPIA" : issuer.code.replacing("<", with: "")
    }

    mutating func drawPage() {
        let isPassport = kind == .td3, x = isPassport ? 44.0 : 34.0
        let size = isPassport ? 3.4 : 3.0, step = isPassport ? 8.4 : 7.2
        write(
            heading + (isPassport ? "   PASSPORT" : "   IDENTITY CARD"), 5, 8, size: 4, label: true)
        write("Number", person.number, isPassport ? 88 : 74, 6, size: size)
        let fields = [
            ("Surname", person.familyName),
            ("Given names", person.givenNames.joined(separator: " ")),
            ("Nationality", issuer == .utopia ? "UTOPIAN" : heading),
            ("Date of birth", printedBirth),
            ("Date of issue", Self.printed(person.issue)),
            ("Date of expiry", Self.printed(person.expiry)),
        ]
        let top = isPassport ? 16.0 : 14.5
        for (k, field) in fields.enumerated() {
            write(field.0, field.1, x, top + step * Double(k) * 0.92, size: size)
        }
        write("Sex", sexLetter, x + 32, top + step * 3 * 0.92, size: size)
        writeZone(x: isPassport ? 6.6 : 6.8, y: isPassport ? 75.6 : 62.4)
    }

    mutating func drawTD1Front() {
        write(heading + "   IDENTITY CARD", 5, 7, size: 3.6, label: true)
        write("Document No", person.number, 58, 5, size: 2.8)
        let fields = [
            ("Surname", person.familyName),
            ("Given names", person.givenNames.joined(separator: " ")),
            ("Date of birth", printedBirth),
            ("Date of expiry", Self.printed(person.expiry)),
        ]
        for (k, field) in fields.enumerated() {
            write(field.0, field.1, 32, 15 + 8.4 * Double(k), size: 2.8)
        }
        write("Sex", sexLetter, 64, 15 + 8.4 * 2, size: 2.8)
    }

    mutating func drawVisa() {
        let isLarge = kind == .visaA, x = isLarge ? 40.0 : 34.0
        write(heading + "   VISA", 5, 8, size: 4.4, label: true)
        write("Number", person.number, isLarge ? 84 : 74, 6, size: 3)
        let fields = [
            ("Surname", person.familyName),
            ("Given names", person.givenNames.joined(separator: " ")),
            ("Date of birth", printedBirth),
            ("Date of issue", Self.printed(person.issue)),
            ("Valid until", Self.printed(person.expiry)), ("Number of entries", "MULTIPLE"),
        ]
        for (k, field) in fields.enumerated() {
            write(field.0, field.1, x, 14.5 + 7 * Double(k) * 0.95, size: 3)
        }
        writeZone(x: isLarge ? 4.2 : 6.8, y: isLarge ? 68.4 : 62.4)
    }

    mutating func drawFrenchCard() {
        write("CARTE NATIONALE D'IDENTITÉ", 5, 8, size: 3.6, label: true)
        write("No", person.number, 66, 6, size: 3)
        let fields = [
            ("Nom", person.familyName), ("Prénoms", person.givenNames.joined(separator: " ")),
            ("Né(e) le", printedBirth), ("Sexe", sexLetter), ("Taille", "1,72 m"),
        ]
        for (k, field) in fields.enumerated() {
            write(field.0, field.1, 34, 14.5 + 8.2 * Double(k), size: 3.2)
        }
        writeZone(x: 6.8, y: 62.4)
    }

    mutating func drawLicense() {
        let isCanadian = issuer.isCanadian
        write(issuer == .florida ? "FLORIDA" : issuer.code, 5, 7, size: 5, label: true)
        let title = isCanadian ? "DRIVER'S LICENCE" : "DRIVER LICENSE"  // lint:allow
        write(title, 42, 6.5, size: 3.4, label: true)
        let rows = [
            "4d \(isCanadian ? "NUMBER" : "DLN") \(person.number)", "1 \(person.familyName)",
            "2 \(person.givenNames.joined(separator: " "))", "8 \(person.street)",
            "\(person.city), \(issuer.code) \(postalCode)",
            "3 DOB \(cardDate(person.birth, "/", without: person.unknownBirth))",
            "15 SEX \(sexLetter)",
            "4a ISS \(cardDate(person.issue, "/"))", "4b EXP \(cardDate(person.expiry, "/"))",
        ]
        for (k, row) in rows.enumerated() {
            write(row, 31, 13 + 4.5 * Double(k), size: k == 0 ? 3.2 : 2.9)
        }
    }

    mutating func drawLicenseBack() {
        write("RESTRICTIONS  NONE     ENDORSEMENTS  NONE", 6, 7, size: 2, label: true)
        var width: Int32 = 0, height: Int32 = 0
        let bytes = barcode ?? []
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
}
