public import MienCore
internal import MienDocument

/// One kind of document and what can be read from it: the row of an issuer and a type in the table from
/// which everything derives that a server says about documents, or refuses.
public struct DocumentCoverage: Sendable, Hashable {
    public enum Side: String, WireWord {
        case front, back
    }

    public enum Part: String, WireWord {
        /// A machine-readable zone. Only large cards have it on the front.
        case zone
        /// A PDF417 symbol of the AAMVA standard.
        case barcode
        case portrait
        /// Text beside the portrait, which is compared with the zone or the barcode.
        case printedFields
        /// An address from which personal data can be taken.
        case address
    }

    public let issuer: DocumentIssuer
    public let type: IdentityDocumentType
    /// The parts that can be read, by the side to photograph.
    public let sides: [Side: Set<Part>]
    /// Whether personal data can be verified from the document alone. A deployment may not verify
    /// personal data of its country.
    public var statesAddress: Bool

    /// The whole table, sorted by type and issuer.
    public static let table: [DocumentCoverage] = IdentityDocumentType.allCases
        .sorted { $0.rawValue < $1.rawValue }
        .flatMap { type in DocumentIssuer.all.compactMap { Self(type, from: $0) } }

    /// - Returns: `nil` for documents of which nothing is read, such as European licenses: they have
    ///   neither a zone nor a barcode that states their data.
    public init?(_ type: IdentityDocumentType, from issuer: DocumentIssuer) {
        (self.type, self.issuer) = (type, issuer)
        let hasBarcode = Jurisdiction.countries.contains(issuer.rawValue)
        switch type {
        case .passport: sides = [.front: [.zone, .portrait, .printedFields]]
        case .idCard:
            sides = [
                .front: [.zone, .portrait, .printedFields],
                .back: hasBarcode ? [.zone, .barcode, .address] : [.zone],
            ]
        case .driverLicense:
            guard hasBarcode else { return nil }
            sides = [.front: [.portrait, .printedFields], .back: [.barcode, .address]]
        }
        statesAddress = sides.values.contains { $0.contains(.address) }
    }

    /// Issuers of one type whose documents are read alike.
    public struct Group: Sendable, Hashable {
        public let type: IdentityDocumentType
        public let sides: [Side: Set<Part>]
        public let statesAddress: Bool
        /// Sorted.
        public let issuers: [DocumentIssuer]
    }

    /// The rows with equal content together, the most common of each type first.
    public static func groups(_ rows: [DocumentCoverage]) -> [Group] {
        struct Key: Hashable {
            let type: IdentityDocumentType, sides: [Side: Set<Part>], statesAddress: Bool
        }
        return Dictionary(grouping: rows) {
            Key(type: $0.type, sides: $0.sides, statesAddress: $0.statesAddress)
        }.map { key, rows in
            Group(
                type: key.type, sides: key.sides, statesAddress: key.statesAddress,
                issuers: rows.map(\.issuer).sorted())
        }.sorted {
            ($0.type.rawValue, -$0.issuers.count, $0.issuers[0])
                < ($1.type.rawValue, -$1.issuers.count, $1.issuers[0])
        }
    }
}
