extension RegistryFile {
    /// The header row that ``RegistryRow/line`` follows.
    public static let header = Array(
        (Column.allCases.map(\.rawValue).joined(separator: ",") + "\n").utf8)
}

extension RegistryRow {
    /// The row as CSV, below ``RegistryFile/header``.
    public var line: [UInt8] {
        let fields = [
            id, input.firstName, input.lastName, input.address, input.city ?? "",
            input.state ?? "", input.postalCode, input.country, input.dateOfBirth,
            marks.contains(.deceased) ? "true" : "", marks.contains(.fraud) ? "true" : "",
        ]
        var line: [UInt8] = []
        line.reserveCapacity(160)
        for (index, field) in fields.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            guard field.utf8.contains(where: Self.isSpecial) else {
                line.append(contentsOf: field.utf8)
                continue
            }
            line.append(UInt8(ascii: "\""))
            for byte in field.utf8 {
                if byte == UInt8(ascii: "\"") { line.append(byte) }
                line.append(byte)
            }
            line.append(UInt8(ascii: "\""))
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }
}
