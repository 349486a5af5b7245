import MienCore
import MienIdentity
import Testing

/// Names that are not the same, letter by letter.
@Suite struct NameAgreementTests {
    private static func recommendation(
        _ typed: PersonalDataInput, _ rows: (PersonalDataInput, Set<SourceAnswer.Mark>)...,
        shortNames: ShortNames = .standard
    ) throws -> (IdentityRecommendation, VerificationBlock?) {
        let answer = SourceAnswer(
            comparing: try PersonalData(typed),
            with: try rows.map { RegistryPerson(try PersonalData($0.0), marks: $0.1) },
            shortNames: shortNames)
        return (RecommendationRules.standard.recommendation(for: answer.checks), answer.block)
    }

    private static func found(_ typed: PersonalDataInput, _ row: PersonalDataInput) throws
        -> IdentityRecommendation
    {
        let found = try recommendation(typed, (row, [])).0
        #expect(try recommendation(row, (typed, [])).0 == found, "the comparison is symmetric")
        return found
    }

    @Test(arguments: [
        ("John Q.", "John Quincy"), ("John Q", "John Quincy"), ("John", "John Quincy"),
        ("John Q", "John Quincy Adam"), ("John Q. A.", "John Quincy Adam"),
        ("John Adam", "John Quincy Adam"), ("Prof. Dr. Ada", "Ada"), ("Mr Dr. Ada", "Ada"),
        ("Dr. rer. nat. Ada", "Ada"), ("Prof. Dr.-Ing. Ada M.", "Ada Maria"),
        ("Annemarie", "Anne-Marie Luise"), ("Jürgen P.", "Juergen Paul"), ("Dr", "Dr"),
    ])
    func `initials, omitted middle names, and titles agree`(typed: String, row: String) throws {
        #expect(
            try Self.found(People.input(firstName: typed), People.input(firstName: row)) == .allow)
    }

    @Test(arguments: [
        // Twins, or typing mistakes.
        ("Hanna", "Anna"), ("Marie", "Maria"), ("Daniel", "Daniela"), ("Jonh", "John"),
        ("Marie Louise", "Maria"), ("Maria Luisa", "Maria Luise"),
        // What people do with their names.
        ("J.", "John"), ("J. Quincy", "John Quincy"), ("J.Q.", "John Quincy"),
        ("Quincy", "John Quincy"), ("Quincy John", "John Quincy"), ("Bob", "Robert"),
        ("Bobby", "Rob"), ("Kathi", "Katharina Maria"), ("Pepe", "José"),
        ("Aleksei", "Алексей"), ("Yevgeny", "Евгений"), ("Mohammed", "محمد"), ("Fatima", "فاطمة"),
        ("Youssef", "يوسف"), ("Giorgos", "Γιώργος"),
    ])
    func `given names that may be one person's or a twin's lead to a review`(
        typed: String, row: String
    ) throws {
        #expect(
            try Self.found(People.input(firstName: typed), People.input(firstName: row))
                == .challenge)
    }

    @Test(arguments: [
        ("John Quincy", "John Robert"), ("John Q.", "John Robert"), ("Eve", "Ada"), ("Bob", "Bill"),
        ("R.", "John"), ("Olga", "Алексей"), ("Jack", "John"), ("Nat", "Ada"),
    ])
    func `other given names are refused`(typed: String, row: String) throws {
        #expect(
            try Self.found(People.input(firstName: typed), People.input(firstName: row)) == .deny)
    }

    @Test(arguments: [
        ("Berg", "van der Berg", IdentityRecommendation.allow), ("Cruz", "de la Cruz", .allow),
        ("Sayed", "El-Sayed", .allow), ("King Jr., PhD", "King", .allow),
        ("Van", "van", .allow), ("García", "García Márquez", .challenge),
        ("Müller", "Mueller-Lüdenscheidt", .challenge),
        ("Márquez García", "García Márquez", .challenge),
        ("Tchaikovsky", "Чайковский", .challenge), ("Shcherbakov", "Щербаков", .challenge),
        ("Hussein", "حسين", .challenge), ("El Sayed", "السيد", .challenge),
        ("Müller", "García Márquez", .deny), ("Ivanov", "Чайковский", .deny),
    ])
    func `particles are tolerated, and one of two last names leads to a review`(
        typed: String, row: String, expected: IdentityRecommendation
    ) throws {
        #expect(
            try Self.found(People.input(lastName: typed), People.input(lastName: row)) == expected)
    }

    @Test func `names in each other's field lead to a review`() throws {
        #expect(
            try Self.found(
                People.input(firstName: "Lovelock", lastName: "Ada"), People.input()) == .challenge)
    }

    @Test func `the mark of another row is at most a reason for a review`() throws {
        let own = People.input(), twin = People.input(firstName: "Adda"),
            namesake = People.input(address: "700 Broadway Ave", postalCode: "98101")
        for mark in SourceAnswer.Mark.allCases {
            // A twin's mark is not the person's.
            #expect(try Self.recommendation(own, (own, []), (twin, [mark])) == (.allow, nil))
            let both: [(PersonalDataInput, Set<SourceAnswer.Mark>)] = [
                (own, []), (namesake, [mark]),
            ]
            for rows in [both, both.reversed()] {
                #expect(try Self.recommendation(own, rows[0], rows[1]) == (.challenge, nil))
                // One wrong digit of the code is no reason to block a person for a namesake's mark.
                let mistyped = People.input(postalCode: "30319")
                #expect(try Self.recommendation(mistyped, rows[0], rows[1]) == (.deny, nil))
            }
            // Two rows of the same person, of which one is marked.
            #expect(try Self.recommendation(own, (own, []), (own, [mark])) == (.challenge, nil))
            // A twin who is not in the registry.
            #expect(
                try Self.recommendation(twin, (People.input(firstName: "Addo"), [mark])).1 == nil)
            let block: VerificationBlock = mark == .fraud ? .fraud : .deceased
            #expect(try Self.recommendation(own, (own, [mark])) == (.deny, block))
            #expect(try Self.recommendation(own, (twin, []), (own, [mark])) == (.deny, block))
            #expect(try Self.recommendation(own, (namesake, [mark])) == (.deny, block))
        }
        #expect(
            try Self.recommendation(own, (own, [.deceased]), (own, [.fraud])) == (.deny, .fraud))
    }

    @Test func `a name that fits two people verifies neither`() throws {
        let luis = People.input(firstName: "José Luis"), juan = People.input(firstName: "José Juan")
        for typed in ["José", "José L."] {
            let input = People.input(firstName: typed)
            #expect(try Self.recommendation(input, (luis, [])) == (.allow, nil))
            let expected: IdentityRecommendation = typed == "José" ? .challenge : .allow
            #expect(try Self.recommendation(input, (luis, []), (juan, [])) == (expected, nil))
        }
        #expect(try Self.recommendation(luis, (luis, []), (juan, [])) == (.allow, nil))
    }

    @Test func `a table of short names can be replaced, and its errors name the line`() throws {
        let table = try ShortNames(
            "# Names of elves\n\n Galadriel: Altariel , Artanis\r\nLuthien:Tinuviel")
        func found(_ a: String, _ b: String) throws -> IdentityRecommendation {
            try Self.recommendation(
                People.input(firstName: a), (People.input(firstName: b), []), shortNames: table
            ).0
        }
        #expect(try found("Artanis", "Galadriel") == .challenge)
        #expect(try found("Lúthien", "Tinúviel") == .challenge)
        #expect(try found("Bob", "Robert") == .deny)
        for (text, line) in [
            ("Bob", 1), ("a: b\nb: c: d", 2), ("a: b\n\nb:", 3), (": b", 1), ("a: ,b", 1),
        ] {
            let error = #expect(throws: ShortNamesError.self) { try ShortNames(text) }
            #expect(error?.line == line)
        }
    }
}
