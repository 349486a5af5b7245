import Foundation
import MienCore
import MienIdentity
import MienTesting
import Testing

/// `docs/spec/identity-verification.md`.
@Suite("The specification of identity verification")
struct IdentityDocumentTests {
    static func page() throws -> String {
        try String(
            contentsOf: Repository.root.appending(path: "docs/spec/identity-verification.md"),
            encoding: .utf8)
    }

    @Test("lists every country, field, check, finding, and member as the code has them")
    func lists() throws {
        let page = try Self.page()
        let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let countries = Country.allCases.sorted().map(\.rawValue).joined(separator: ", ")
        #expect(words.contains("abbreviations: \(countries)."))
        for field in IdentityField.allCases {
            let minimum =
                field.minimum == field.minimum.rounded()
                ? String(Int(field.minimum)) : String(field.minimum)
            #expect(page.contains("| `\(field.rawValue)` | \(field.points) | \(minimum) |"))
        }
        let checks = IdentityCheckName.all
        for check in checks {
            #expect(page.contains("| `\(check.rawValue)` | \(check.meaning) |"))
        }
        for code in RulesFinding.Code.allCases {
            #expect(page.contains("| `\(code.rawValue)` |"))
        }
        for member in try #require(EvidenceRecordTests.record().json.objectValue).keys {
            #expect(page.contains("`\(member)`"), "\(member)")
        }
    }

    @Test("prints the standard rules")
    func rules() throws {
        let page = try Self.page()
        let block = try #require(page.components(separatedBy: "```json\n").dropFirst().first)
        let json = try #require(block.components(separatedBy: "```").first)
        #expect(try RecommendationRules(json: Array(json.utf8)) == .standard)
    }
}
