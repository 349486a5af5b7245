internal import MienAPI
internal import MienCore
internal import MienIdentity

/// Refuses documents that cannot be read before a picture of them is taken.
extension IdentityService {
    static let noDocuments = IdentityError(
        .unsupportedMethod, field: "documentType", "this deployment checks no documents")
    static let noSources = IdentityError(
        .unsupportedMethod, "this deployment verifies no personal data")

    /// Finds the row of a document in the table.
    ///
    /// - Parameters:
    ///   - country: As the person chose it.
    ///   - kind: The attempt, if it is one of a user: personal data can be taken only from documents
    ///     with an address.
    /// - Throws: ``IdentityError`` `unsupportedCountry`, `unsupportedMethod`.
    func coverage(
        of type: IdentityDocumentType, from country: String, for kind: VerificationAttempt.Kind?
    ) throws(IdentityError) -> DocumentCoverage {
        guard documents != nil else { throw Self.noDocuments }
        let offered = supportedDocuments
        guard let issuer = DocumentIssuer(rawValue: country),
            offered.contains(where: { $0.issuer == issuer })
        else {
            throw IdentityError(
                .unsupportedCountry, field: "country",
                "documents of this country are not supported; see GET /v1/identity/countries")
        }
        guard let found = offered.first(where: { $0.issuer == issuer && $0.type == type }) else {
            let others = offered.filter { $0.issuer == issuer }.map(\.type.rawValue)
            throw IdentityError(
                .unsupportedMethod, field: "documentType",
                "\(type.rawValue) of \(issuer.rawValue) is not supported; of this country, \(others.joined(separator: ", ")) can be verified"
            )
        }
        guard kind == .capturedDocument else { return found }
        guard !sources.isEmpty else { throw Self.noSources }
        guard found.statesAddress else {
            throw IdentityError(
                .unsupportedMethod, field: "documentType",
                "no address can be verified from \(type.rawValue) of \(issuer.rawValue), but from \(Self.pairs(offered)); verify personal data with verifyIdentity, then this document with verifyIdentityDocument"
            )
        }
        return found
    }

    /// The documents with an address, in words.
    private static func pairs(_ rows: [DocumentCoverage]) -> String {
        let groups = DocumentCoverage.groups(rows.filter(\.statesAddress)).map { group in
            "\(group.type.rawValue) of \(group.issuers.map(\.rawValue).joined(separator: " and "))"
        }
        return groups.isEmpty ? "none that is accepted here" : groups.joined(separator: ", ")
    }
}

extension SupportedCountriesAnswer {
    init(_ identities: IdentityService) {
        let rows = identities.supportedDocuments, people = identities.supportedCountries
        self.init(
            countries: people.isEmpty
                ? Set(rows.map(\.issuer).filter(\.isCountry)).sorted().map(\.rawValue)
                : people.map(\.rawValue),
            documents: DocumentCoverage.groups(rows).map { ReadableDocuments($0) })
    }
}

extension [SupportedDocument] {
    /// The documents that can be chosen, by type.
    init(_ rows: [DocumentCoverage]) {
        self = Dictionary(grouping: rows, by: \.type).sorted { $0.key.rawValue < $1.key.rawValue }
            .map { type, rows in
                SupportedDocument(
                    documentType: .known(type), countries: rows.map(\.issuer.rawValue).sorted())
            }
    }
}
