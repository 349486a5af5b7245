import MienIdentity
import Testing

/// The evidence for which a country is listed.
struct CountryExample {
    /// Codes that are the same after normalization.
    let codes: [String]
    let wrongCodes: [String]
    /// Ways to write one address.
    let alike: [String]
    /// Addresses that differ from all of ``alike``.
    let others: [String]

    static let all: [Country: CountryExample] = [
        .us: CountryExample(
            codes: ["30318", "30318-1234", "30318 1234", "303181234"],
            wrongCodes: ["3031", "3031A", "", "30318-12"],
            alike: [
                "222 North Peachtree Street, Apartment 4B", "222 N. Peachtree St Apt 4B",
                "222 N PEACHTREE STR #4b", "222 n peachtree street unit 4B",
            ],
            others: [
                "222 N Peachtree St Apt 5B", "224 N Peachtree St Apt 4B", "222 S Elm St Apt 4B",
            ]),
        .ca: CountryExample(
            codes: ["K1A 0B1", "k1a0b1", "K1A-0B1"], wrongCodes: ["K1A 0B", "11A 0B1"],
            alike: ["50 Wellington Road", "50 wellington rd."],
            others: ["51 Wellington Rd", "50 Sussex Dr"]),
        .gb: CountryExample(
            codes: ["SW1A 2AA", "sw1a2aa"], wrongCodes: ["SW1A 2A", "12345"],
            alike: [
                "Flat 3, 10 Saint James’s Court", "3/10 St James's Ct", "10 St. James’s Ct #3",
            ],
            others: ["Flat 3, 11 St James Ct", "Flat 3, 10 Kings Ct"]),
        .ie: CountryExample(
            codes: ["D02 AF30", "d02af30"], wrongCodes: ["D02", "02D AF30"],
            alike: ["7 O’Connell Street Upper", "7 OConnell St. Upper"],
            others: ["9 O’Connell Street Upper", "7 Grafton St"]),
        .au: CountryExample(
            codes: ["2000"], wrongCodes: ["20000", "200"],
            alike: ["Unit 4, 12 George Street", "4/12 George St"],
            others: ["Unit 5, 12 George Street", "4/12 Pitt St"]),
        .nz: CountryExample(
            codes: ["6011"], wrongCodes: ["601", "AB12"],
            alike: ["3 Mount Eden Terrace", "3 Mt Eden Tce"],
            others: ["8 Mt Eden Tce", "3 Karori Rd"]),
        .de: CountryExample(
            codes: ["10115", "D-10115", "DE-10115"], wrongCodes: ["1011", "F-10115"],
            alike: [
                "Müllerstraße 12 a", "Mullerstr. 12A", "Mueller Strasse 12a", "MÜLLER-STR 12 A",
            ],
            others: ["Müllerstraße 12 b", "Bahnhofstraße 12a"]),
        .at: CountryExample(
            codes: ["1010", "A-1010"], wrongCodes: ["10100"],
            alike: ["Stephansplatz 3", "Stephanspl. 3", "Stephans Platz 3"],
            others: ["Stephansplatz 4", "Karlsplatz 3"]),
        .ch: CountryExample(
            codes: ["8001", "CH-8001"], wrongCodes: ["80010"],
            alike: ["Löwenstrasse 5", "Loewenstr. 5", "Lowenstr 5"],
            others: ["Löwenstrasse 6", "Seestrasse 5"]),
        .fr: CountryExample(
            codes: ["75008", "F-75008"], wrongCodes: ["7500", "2A004"],
            alike: [
                "10 bis avenue du Général Leclerc", "10 B av. du Gal Leclerc",
                "10bis, Avenue du General-Leclerc",
            ],
            others: ["10 ter avenue du Général Leclerc", "12 bis avenue du Général Leclerc"]),
        .es: CountryExample(
            codes: ["28013", "E-28013"], wrongCodes: ["2801"],
            alike: ["Calle de Alcalá, 42", "C/ de Alcala nº 42", "CL. DE ALCALÁ 42"],
            others: ["Calle de Alcalá 43", "Calle Mayor 42"]),
        .it: CountryExample(
            codes: ["00184", "I-00184"], wrongCodes: ["0018"],
            alike: ["Piazza San Giovanni, 4", "P.za S. Giovanni n. 4", "Pzza San Giovanni 4"],
            others: ["Piazza San Giovanni 5", "Via Appia 4"]),
        .nl: CountryExample(
            codes: ["1012 AB", "1012ab", "NL-1012 AB"], wrongCodes: ["1012", "AB1012"],
            alike: ["Prinsenstraat 8", "Prinsenstr. 8", "Prinsen Straat 8"],
            others: ["Prinsenstraat 9", "Herenstraat 88"]),
        .se: CountryExample(
            codes: ["111 22", "11122", "SE-111 22"], wrongCodes: ["1112"],
            alike: ["Drottninggatan 5", "Drottningg. 5"],
            others: ["Drottninggatan 6", "Kungsgatan 5"]),
    ]
}

@Suite("Countries")
struct CountryTests {
    @Test("exactly the countries with an example are listed")
    func listed() {
        #expect(Set(Country.allCases) == Set(CountryExample.all.keys))
    }

    @Test(
        "codes and addresses of a country agree in every way to write them",
        arguments: Country.allCases)
    func example(_ country: Country) throws {
        let example = try #require(CountryExample.all[country])
        let code = try #require(example.codes.first)
        func data(_ address: String, _ code: String) throws -> PersonalData {
            try PersonalData(
                People.input(address: address, postalCode: code, country: country.rawValue))
        }
        // `Muller` and `Mueller` both are `Müller`, but not each other.
        let a = try #require(example.alike.first)
        for b in example.alike {
            for c in example.codes {
                for scores in [
                    try data(a, c).scores(against: data(b, code)),
                    try data(b, code).scores(against: data(a, c)),
                ] {
                    #expect(scores.agrees && scores.scores[.address] == 1, "\(a) / \(b) \(c)")
                }
            }
            for other in example.others {
                #expect(
                    try !data(b, code).scores(against: data(other, code)).agrees, "\(b) / \(other)")
            }
        }
        for wrong in example.wrongCodes {
            let error = #expect(throws: IdentityError.self) { try data(example.alike[0], wrong) }
            #expect(
                error?.code == .informationNotProvided && error?.field == "postalCode", "\(wrong)")
        }
    }

    @Test(
        "other codes are refused",
        arguments: ["", "XX", "USA", "U", "ZZ", "🇺🇸", "U S", "us ", "ＵＳ", "\u{0}\u{0}"])
    func unsupported(_ code: String) {
        let error = #expect(throws: IdentityError.self) {
            try PersonalData(People.input(country: code))
        }
        #expect(error?.code == .unsupportedCountry && error?.field == "country")
    }

    @Test(
        "a country that the deployment does not accept is refused, and the error names the others")
    func deployment() {
        let error = #expect(throws: IdentityError.self) {
            try PersonalData.country("DE", supported: [.us, .at])
        }
        #expect(error?.reason == "country must be one of AT, US")
        #expect(throws: Never.self) { try PersonalData.country("at", supported: [.us, .at]) }
    }
}
