internal import MienCore

/// The barcode on the back of a driver license or identity card of the United States or Canada.
///
/// Holds the whole text without loss: ``bytes`` is what was read. Cards are personal data, so they
/// print as `‹card›`.
///
/// Source: AAMVA DL/ID Card Design Standard, annex D, versions 1–10.
public struct AAMVACard: Sendable, Hashable {
    /// How closely text must follow the standard.
    public enum Mode: String, Sendable, CaseIterable {
        /// Separators, directory, and required elements must be as the standard says.
        case strict
        /// Accepts what issued cards do: missing separators, wrong offsets and lengths, text before
        /// the header, incomplete headers, elements that continue on another line, and the tracks
        /// of a magnetic stripe.
        case lenient
    }

    /// A part of the text with a type, such as `DL` or `ZF`.
    public struct Subfile: Sendable, Hashable {
        public let type: String
        public let elements: [AAMVAElement]
        /// The bytes before the first element.
        let start: [UInt8]
    }

    /// The maximum length of the text. A PDF417 symbol holds at most 1,850 letters.
    public static let maximumBytes = 4096

    public let header: AAMVAHeader
    public let subfiles: [Subfile]
    /// The text before the first subfile.
    let beginning: [UInt8]
    /// The whole text if it has the layout of a magnetic stripe, which names no elements.
    private let stripe: [UInt8]?

    /// - Throws: ``DocumentError`` `.cardSize`, `.cardHeader`, `.cardSubfile`, or `.cardElement`.
    public init(_ bytes: some Collection<UInt8>, mode: Mode = .lenient) throws(DocumentError) {
        guard bytes.count <= Self.maximumBytes else {
            throw DocumentError(
                .cardSize,
                "a card's barcode has at most \(Self.maximumBytes) bytes; this text has \(bytes.count)"
            )
        }
        if mode == .lenient, let tracks = StripeParser(Array(bytes)) {
            header = tracks.header
            subfiles = [Subfile(type: "DL", elements: tracks.elements, start: [])]
            (beginning, stripe) = ([], Array(bytes))
        } else {
            let parts = try AAMVAParser(Array(bytes), mode).parts()
            (header, subfiles, beginning) = (parts.header, parts.subfiles, parts.beginning)
            stripe = nil
        }
        // Vehicles and companies have such barcodes, too.
        guard
            number != nil || familyName != nil || !(givenNames + unorderedNames).isEmpty
        else {
            throw DocumentError(.cardElement, "the text states neither a number nor a name")
        }
    }

    /// The text that was read.
    public var bytes: [UInt8] {
        if let stripe { return stripe }
        return beginning
            + subfiles.flatMap { subfile in
                subfile.start
                    + subfile.elements.flatMap { Array($0.id.rawValue.utf8) + $0.bytes + $0.ending }
            }
    }

    /// All elements in order.
    public var elements: [AAMVAElement] { subfiles.flatMap(\.elements) }

    /// The value of the first element with the identifier, without surrounding spaces; `nil` when
    /// it is missing, or says that there is none.
    public subscript(_ id: AAMVAElementID) -> String? {
        elements.lazy.filter { $0.id == id }.map {
            textOf($0.bytes.trimmingSpaces)
        }.first { !Self.isAbsent($0) }
    }

    /// Whether a value says that there is none: the words of the standard and their forms on cards,
    /// or only punctuation.
    static func isAbsent(_ value: String) -> Bool {
        let words = ["NONE", "UNAVL", "UNAVAIL", "UNAVAILABLE", "UNKNOWN", "N/A"]
        return words.contains(value.uppercased())
            || !value.unicodeScalars.contains {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
            }
    }
}

extension AAMVACard: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹card›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// UTF-8 if the bytes are; otherwise ISO 8859-1, which the standard prescribes.
func textOf(_ bytes: [UInt8]) -> String {
    String(validUTF8: bytes)
        ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}
