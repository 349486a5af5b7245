internal import MienIdentity

/// The sealed content of a registry's row: the data as the file has it, so that a later version can
/// compare it in another way.
struct RegistryContent: Codable {
    let firstName, lastName, address: String
    let city, state: String?
    let postalCode, country, dateOfBirth: String
    let marks: Set<SourceAnswer.Mark>

    init(_ row: RegistryRow) {
        (firstName, lastName, address) = (
            row.input.firstName, row.input.lastName, row.input.address
        )
        (city, state, postalCode) = (row.input.city, row.input.state, row.input.postalCode)
        (country, dateOfBirth) = (row.input.country, row.input.dateOfBirth)
        marks = row.marks
    }

    var input: PersonalDataInput {
        PersonalDataInput(
            firstName: firstName, lastName: lastName, address: address, city: city,
            state: state, postalCode: postalCode, country: country, dateOfBirth: dateOfBirth)
    }

    /// The content as JSON. `JSONEncoder` gives the same and takes longer than all the rest of an
    /// import.
    var json: [UInt8] {
        var json = JSONBytes()
        json.put("address", address)
        json.put("city", city)
        json.put("country", country)
        json.put("dateOfBirth", dateOfBirth)
        json.put("firstName", firstName)
        json.put("lastName", lastName)
        json.put("marks", marks.map(\.rawValue).sorted())
        json.put("postalCode", postalCode)
        json.put("state", state)
        return json.end()
    }
}

/// Writes an object of texts.
private struct JSONBytes {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(320) }

    /// Writes nothing for `nil`.
    mutating func put(_ name: String, _ text: String?) {
        guard let text else { return }
        begin(name)
        quote(text)
    }

    mutating func put(_ name: String, _ texts: [String]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            quote(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func end() -> [UInt8] {
        if bytes.isEmpty { bytes.append(UInt8(ascii: "{")) }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private mutating func begin(_ name: String) {
        bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case ..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
