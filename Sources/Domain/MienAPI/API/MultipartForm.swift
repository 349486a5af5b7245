internal import MienCore

/// The parts of a `multipart/form-data` body (RFC 7578), parsed strictly: names are unique, nothing
/// precedes the first boundary, and nothing follows the last one.
///
/// Linear in the body's size. The parts are slices of the body, so that pictures are not copied.
public struct MultipartForm: Sendable {
    /// The maximum number of parts.
    public static let maxParts = 8
    /// The maximum size of a part's header fields in bytes.
    public static let maxHeaderBytes = 1024

    /// A field of the form, or a file.
    public struct Part: Sendable {
        /// 1 to 64 characters of `A-Z a-z 0-9 - _`.
        public let name: String
        public let content: ArraySlice<UInt8>
    }

    /// The reason a body is not a form. Repeats nothing of it.
    public struct Malformed: Error, Sendable, Hashable {
        public let reason: String
    }

    public let parts: [Part]

    /// Returns the part with a name.
    public subscript(name: String) -> ArraySlice<UInt8>? {
        parts.first { $0.name == name }?.content
    }

    /// - Parameter contentType: The `content-type` of the request, which names the boundary.
    /// - Throws: ``Malformed``.
    public init(parsing bytes: [UInt8], contentType: String) throws(Malformed) {
        guard let boundary = Self.boundary(of: contentType) else {
            throw Malformed(
                reason:
                    "content-type must be multipart/form-data with a boundary of 1 to 70 characters"
            )
        }
        let delimiter = Array("--".utf8) + boundary
        guard bytes.starts(with: delimiter) else {
            throw Malformed(reason: "the body does not begin with the boundary")
        }
        var rest = bytes[delimiter.count...]
        var parts: [Part] = []
        while !rest.starts(with: Self.dashes) {
            rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard rest.starts(with: Self.lineEnd) else {
                throw Malformed(reason: "a boundary is followed by neither a line end nor --")
            }
            guard parts.count < Self.maxParts else {
                throw Malformed(reason: "the form has more than \(Self.maxParts) parts")
            }
            let name = try Self.name(in: &rest)
            guard !parts.contains(where: { $0.name == name }) else {
                throw Malformed(reason: "two parts have the same name")
            }
            guard let end = Self.end(of: rest, before: delimiter) else {
                throw Malformed(reason: "a part does not end with the boundary")
            }
            parts.append(Part(name: name, content: rest[..<end]))
            rest = rest[(end + Self.lineEnd.count + delimiter.count)...]
        }
        rest = rest.dropFirst(Self.dashes.count)
        guard rest.isEmpty || rest.elementsEqual(Self.lineEnd) else {
            throw Malformed(reason: "the last boundary is followed by more")
        }
        self.parts = parts
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]
    private static let dashes: [UInt8] = [0x2D, 0x2D]

    /// Returns the boundary that a content type names.
    private static func boundary(of contentType: String) -> [UInt8]? {
        let pieces = contentType.split(separator: ";")
        guard let type = pieces.first, trimmed(type).lowercased() == "multipart/form-data" else {
            return nil
        }
        for piece in pieces.dropFirst() {
            let pair = trimmed(piece)
            guard pair.lowercased().hasPrefix("boundary=") else { continue }
            var value = pair.dropFirst("boundary=".count)
            if value.count >= 2, value.first == "\"", value.last == "\"" {
                value = value.dropFirst().dropLast()
            }
            let isValid =
                (1...70).contains(value.utf8.count) && value.utf8.last != UInt8(ascii: " ")
                && value.utf8.allSatisfy { isWord($0) || Self.boundarySigns.contains($0) }
            return isValid ? Array(value.utf8) : nil
        }
        return nil
    }

    /// RFC 2046 §5.1.1.
    private static let boundarySigns = Set("'()+,./:=? ".utf8)

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    /// Reads a part's header fields, and leaves its content.
    private static func name(in rest: inout ArraySlice<UInt8>) throws(Malformed) -> String {
        let head = rest.prefix(maxHeaderBytes)
        var end: Int?
        for index in head.indices
        where head[index] == 0x0D && head[index...].starts(with: [0x0D, 0x0A, 0x0D, 0x0A]) {
            end = index
            break
        }
        guard let end else {
            throw Malformed(
                reason: "a part's header fields do not end within \(maxHeaderBytes) bytes")
        }
        guard let text = String(validUTF8: Array(head[..<end])) else {
            throw Malformed(reason: "a part's header fields are not UTF-8")
        }
        rest = rest[(end + 4)...]
        // A line end is one character.
        for line in text.split(separator: "\r\n") {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field.count == 2, field[0].lowercased() == "content-disposition" else { continue }
            let pieces = field[1].split(separator: ";").map(trimmed)
            guard pieces.first?.lowercased() == "form-data" else { break }
            for piece in pieces.dropFirst() where piece.lowercased().hasPrefix("name=") {
                var name = piece.dropFirst("name=".count)
                if name.count >= 2, name.first == "\"", name.last == "\"" {
                    name = name.dropFirst().dropLast()
                }
                guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(isWord) else {
                    break
                }
                return String(name)
            }
            break
        }
        throw Malformed(reason: "a part has no content-disposition: form-data with a name")
    }

    /// Returns where a part's content ends.
    private static func end(of rest: ArraySlice<UInt8>, before delimiter: [UInt8]) -> Int? {
        var from = rest.startIndex
        while let at = rest[from...].firstIndex(of: 0x0D) {
            let next = at + 1
            if next < rest.endIndex, rest[next] == 0x0A,
                rest[(next + 1)...].starts(with: delimiter)
            {
                return at
            }
            from = next
        }
        return nil
    }
}

/// Hides the content, because forms contain pictures of documents.
extension MultipartForm: CustomStringConvertible, CustomReflectable {
    public var description: String { "a form of \(parts.count) parts" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
