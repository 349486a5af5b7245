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
            // Territories, whose people have the passports of their state.
            ("HK", "CN"), ("MAC", "CN"), ("je", "GB"), ("BMU", "GB"), ("PR", "US"),
            ("GUM", "US"), ("AX", "FI"), ("GF", "FR"), ("FO", "DK"), ("AQ", nil), ("ATA", nil),
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
        #expect(codes == codes.sorted() && Set(codes).count == codes.count && codes.count == 213)
        #expect(Country.allCases.allSatisfy { codes.contains($0.rawValue) })
        for territory in [
            "HK", "MO", "BM", "GG", "JE", "IM", "PR", "GU", "AX", "GF", "BV", "AQ", "HM",
        ] {
            #expect(!codes.contains(territory))
        }
        #expect(DocumentIssuer.all.filter { !$0.isCountry }.count == 15)
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
        // Documents of a country whose personal data is not verified are a group of their own.
        let rows = DocumentCoverage.table.map { row in
            var row = row
            if row.issuer.rawValue == "CA" { row.statesAddress = false }
            return row
        }
        let cards = DocumentCoverage.groups(rows).filter { $0.type == .driverLicense }
        #expect(cards.map(\.statesAddress) == [false, true])
        #expect(cards.map { $0.issuers.map(\.rawValue) } == [["CA"], ["US"]])
    }
}
