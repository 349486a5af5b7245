public import MienCore

/// The fields of a document as one of its parts states them, or as the person entered them.
///
/// Fields are personal data, so they print as `‹fields›`.
public struct DocumentFields: Sendable, Hashable {
    /// A part of the document, or the person's own statement.
    public enum Source: String, Sendable, CaseIterable {
        case mrz, barcode
        case visualZone = "visual_zone"
        case input
    }

    /// A field of printed text.
    public enum Field: String, Sendable, CaseIterable {
        case familyName = "family_name"
        case givenNames = "given_names"
        case number, birth, issue, expiry, sex
    }

    public let source: Source
    public var number: String?
    public var familyName: String?
    /// Given names in order.
    public var givenNames: [String] = []
    /// All names, if the document does not say which is the family name; otherwise empty. Not
    /// compared with other sources.
    public var unorderedNames: [String] = []
    public var birth: CalendarDate?
    public var expiry: CalendarDate?
    public var issue: CalendarDate?
    public var sex: Sex?
    /// The issuing country (ISO 3166-1 alpha-2).
    public var country: String?
    /// The holder's nationality (ISO 3166-1 alpha-2).
    public var nationality: String?
    public var postalCode: String?
    /// Whether names are shortened, so that their ends may be missing.
    public var hasShortenedNames = false
    /// The fields that OCR read with little confidence. What differs in them contradicts nothing.
    public var unsure: Set<Field> = []

    public init(_ source: Source) { self.source = source }

    /// The fields of a machine-readable zone. Dates whose century or day is unknown are left out.
    public init(_ zone: MachineReadableZone, asOf today: CalendarDate) {
        self.init(.mrz)
        number = zone.number.isEmpty ? nil : zone.number
        familyName = zone.name.primary.isEmpty ? nil : zone.name.primary.joined(separator: " ")
        givenNames = zone.name.secondary
        birth = zone.birth?.birth(asOf: today)
        expiry = zone.expiry?.expiry(asOf: today)
        sex = zone.sex
        country = zone.issuer.country
        nationality = zone.nationality?.country
        hasShortenedNames = zone.name.mayBeTruncated
    }

    public init(_ card: AAMVACard) {
        self.init(.barcode)
        number = card.number
        familyName = card.familyName
        givenNames = card.givenNames
        unorderedNames = card.unorderedNames
        birth = card.birth
        expiry = card.expiry
        issue = card.issue
        sex = card.sex
        country = card.country
        postalCode = card.postalCode
        hasShortenedNames = card.isFamilyNameTruncated || card.isFirstNameTruncated
    }
}

extension DocumentFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹fields›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
