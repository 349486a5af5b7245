internal import MienCore
internal import MienDocument

/// The issuer of a specimen, and the rules that this issuer publishes for its numbers.
public struct SpecimenIssuer: Sendable, Hashable {
    /// A state's code in machine-readable zones, such as `UTO` or `D<<`; or a jurisdiction's postal
    /// abbreviation, such as `FL`.
    public let code: String
    /// The issuer identification number of a jurisdiction of the United States or Canada.
    public let issuerNumber: String?
    /// The version of the AAMVA standard, 1…10.
    public let version: Int

    /// A state that issues documents with machine-readable zones.
    public init(state code: String) {
        (self.code, issuerNumber, version) = (code, nil, 0)
    }

    /// A jurisdiction that issues driver licenses.
    /// - Returns: `nil` for an unknown issuer identification number.
    public init?(issuerNumber: String, version: Int = 8) {
        guard let jurisdiction = Jurisdiction(issuerNumber: issuerNumber) else { return nil }
        (code, self.issuerNumber, self.version) = (jurisdiction.code, issuerNumber, version)
    }

    /// A state that does not exist.
    public static let utopia = SpecimenIssuer(state: "UTO")
    /// Florida, whose issuer number is known.
    public static let florida = SpecimenIssuer(issuerNumber: "636010")!

    /// Whether dates on the jurisdiction's cards begin with the year, as in Canada.
    var isCanadian: Bool {
        issuerNumber.flatMap { Jurisdiction(issuerNumber: $0) }?.country == "CA"
    }

    /// The form of document numbers by code and, where passports and cards differ, format: letters
    /// `A`, digits `N`, either `X`, Germany's characters `G`, each with a count.
    private static let numbers = [
        "AUS/TD3": "A2N7", "CAN/TD3": "A2N6", "ESP/TD3": "A3N6", "FRA/TD3": "N2A2N5",
        "GBR/TD3": "N9", "IND/TD3": "A1N7", "JPN/TD3": "A2N7", "NLD/TD3": "A2X6N1",
        "POL/TD3": "A2N7", "POL/TD1": "A3N6", "USA/TD3": "N9", "D<<": "G9", "BEL/TD1": "N12",
    ]
    private static let cards = [
        "AZ": "A1N8", "CA": "A1N7", "CT": "N9", "DC": "N7", "FL": "A1N12", "HI": "A1N8",
        "IL": "A1N11", "IN": "N10", "KY": "A1N8", "MI": "A1N12", "MN": "A1N12", "NJ": "A1N14",
        "NY": "N9", "ON": "A1N14", "PA": "N8", "TX": "N8", "WI": "A1N13",
    ]
    /// National numbers that are printed in the optional data.
    private static let personalNumbers = [
        "BEL": "N11", "BGR": "N10", "CZE": "N10", "SVK": "N10", "ESP": "N8A1", "EST": "N11",
        "LTU": "N11", "FIN": "N6<N3X1", "HRV": "N11", "NLD": "N9", "NOR": "N11", "POL": "B6N5",
        "ROU": "N13", "SRB": "N13", "SVN": "N13", "SWE": "N12", "THA": "N13", "TUR": "N11",
        "TWN": "A1N9", "ZAF": "N13",
    ]

    /// A document's number by the issuer's rule.
    func number(_ format: MRZFormat?, _ random: inout SeededGenerator) -> String? {
        guard let format else { return Self.cards[code].map { Self.text($0, "", &random) } }
        return (Self.numbers["\(code)/\(format.rawValue)"] ?? Self.numbers[code]).map {
            Self.text($0, "", &random)
        }
    }

    /// Whether a number has the form of those on the jurisdiction's cards; `true` without a rule.
    func accepts(cardNumber number: String) -> Bool {
        guard let form = Self.cards[code] else { return true }
        var rest = number[...], kinds = form[...]
        while let kind = kinds.popFirst() {
            let digits = kinds.prefix { $0.isNumber }
            kinds = kinds.dropFirst(digits.count)
            let count = Int(digits) ?? 1
            let part = rest.prefix(count)
            rest = rest.dropFirst(count)
            guard part.count == count,
                part.allSatisfy({
                    kind == "A" ? ("A"..."Z").contains($0) : ("0"..."9").contains($0)
                })
            else { return false }
        }
        return rest.isEmpty
    }

    /// A national number by the issuer's rule; empty without one, and where it does not fit.
    func personalNumber(
        _ format: MRZFormat, birth: CalendarDate, _ random: inout SeededGenerator
    ) -> String {
        let room = format == .td3 ? 14 : format == .td1 ? 11 : 0
        guard let form = Self.personalNumbers[code] else { return "" }
        let digits = birth.description.filter { $0 != "-" }.dropFirst(2)
        let text = Self.text(form, String(digits), &random)
        return text.utf8.count <= room ? text : ""
    }

    private static func text(
        _ form: String, _ birth: String, _ random: inout SeededGenerator
    ) -> String {
        var out = "", rest = form[...]
        while let kind = rest.popFirst() {
            let digits = rest.prefix { $0.isNumber }
            rest = rest.dropFirst(digits.count)
            if kind == "B" {
                out += birth
                continue
            }
            guard let count = Int(digits) else {
                out.append(kind)
                continue
            }
            let letters =
                switch kind {
                case "A": "ABCDEFGHJKLMNPRSTUVWXYZ"
                case "G": "0123456789CFGHJKLMNPRTVWXYZ"
                case "X": "0123456789ABCDEFHJKLMNPRSTUVWXY"
                default: "0123456789"
                }
            out += (0..<count).map { _ in String(letters.randomElement(using: &random)!) }.joined()
        }
        return out
    }
}
