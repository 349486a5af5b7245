import MienCore
import MienIdentity
import Testing

@Suite("The table of documents that are read")
struct DocumentCoverageTests {
    private static func coverage(_ type: IdentityDocumentType, _ code: String) -> DocumentCoverage?
    {
        DocumentIssuer(rawValue: code).flatMap { DocumentCoverage(type, from: $0) }
    }

    @Test(
        "issuers are named by their country, or as the zone names them",
        arguments: [
            ("pl", "PL"), ("POL", "PL"), ("D", "DE"), ("D<<", "DE"), ("DEU", "DE"), ("GBD", "GB"),
            ("gbo", "GB"), ("UN", "UN"), ("UNO", "UN"), ("UNA", "UN"), ("XOM", "XOM"),
            ("EUE", "EU"), ("RKS", "XK"), ("XPO", "XPO"), ("TMP", "TL"),
            // Codes of holders, states that no longer exist, specimens, and nonsense.
            ("XXA", nil), ("XXX", nil), ("YUG", nil), ("AN", nil), ("UTO", nil), ("XX", nil),
            ("", nil), ("ÄÖ", nil), ("DEUT", nil),
        ])
    func issuers(text: String, code: String?) {
        #expect(DocumentIssuer(rawValue: text)?.rawValue == code)
    }

    @Test("every issuer's passports and cards are read, more than there are countries of addresses")
    func issued() {
        let codes = DocumentIssuer.all.map(\.rawValue)
        #expect(codes == codes.sorted() && Set(codes).count == codes.count && codes.count > 240)
        #expect(Country.allCases.allSatisfy { codes.contains($0.rawValue) })
        for issuer in DocumentIssuer.all {
            for type in [IdentityDocumentType.passport, .idCard] {
                let sides = DocumentCoverage(type, from: issuer)?.sides ?? [:]
                #expect(sides.values.contains { $0.contains(.zone) }, "\(issuer.rawValue)")
                #expect(sides[.front]?.contains(.portrait) == true)
            }
        }
    }

    @Test(
        "an address is read from the barcodes of North America only, so a German card states none")
    func addresses() {
        let pairs = DocumentCoverage.table.filter(\.statesAddress).map {
            "\($0.type.rawValue) \($0.issuer.rawValue)"
        }
        #expect(pairs == ["driverLicense CA", "driverLicense US", "idCard CA", "idCard US"])
        #expect(Self.coverage(.idCard, "DE")?.statesAddress == false)
        #expect(Self.coverage(.driverLicense, "GB") == nil)
        #expect(Self.coverage(.driverLicense, "DE") == nil)
        #expect(Self.coverage(.passport, "PL")?.sides.count == 1)
    }

    @Test("groups have each pair once")
    func groups() {
        let groups = DocumentCoverage.groups(DocumentCoverage.table)
        #expect(groups.map(\.type) == [.driverLicense, .idCard, .idCard, .passport])
        #expect(groups.flatMap(\.issuers).count == DocumentCoverage.table.count)
        #expect(groups.map(\.statesAddress) == [true, false, true, false])
    }
}
