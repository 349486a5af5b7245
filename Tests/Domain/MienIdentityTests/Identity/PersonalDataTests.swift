import MienCore
import MienIdentity
import Testing

@Suite("Personal data")
struct PersonalDataTests {
    static func agree(_ a: PersonalDataInput, _ b: PersonalDataInput) throws -> Bool {
        let a = try PersonalData(a), b = try PersonalData(b)
        #expect(a.scores(against: b) == b.scores(against: a), "the comparison is symmetric")
        return a.scores(against: b).agrees
    }

    @Test(
        "names ignore case, accents, punctuation, and titles",
        arguments: [
            ("François", "FRANCOIS"), ("Jean-Pierre", "jean pierre"), ("Jürgen", "Juergen"),
            ("Jürgen", "Jurgen"), ("Søren", "Soeren"), ("Søren", "Soren"), ("Dr. Ada", "Ada"),
            ("Zoë", "Zoe\u{308}"), ("Łucja", "Lucja"), ("Ada Maria", "Ada"), ("İpek", "Ipek"),
            ("ＡＤＡ", "ada"), ("Þóra", "Thora"),
        ])
    func sameFirstName(_ a: String, _ b: String) throws {
        #expect(try Self.agree(People.input(firstName: a), People.input(firstName: b)))
    }

    @Test(
        "last names ignore spaces, apostrophes, and generation suffixes",
        arguments: [
            ("O’Brien", "OBRIEN"), ("O'Brien", "O´Brien"), ("de la Cruz", "Delacruz"),
            ("Smith-Jones", "SMITH JONES"), ("Weiß", "Weiss"), ("King, Jr.", "King"),
            ("Lovelock", "Lovelok"), ("Lovelock", "Lvoelock"),
        ])
    func sameLastName(_ a: String, _ b: String) throws {
        #expect(try Self.agree(People.input(lastName: a), People.input(lastName: b)))
    }

    @Test(
        "other people do not agree",
        arguments: [
            People.input(firstName: "Eve"), People.input(firstName: "Ida"),
            People.input(lastName: "Loveless"), People.input(lastName: "Lock"),
            People.input(dateOfBirth: "1985-10-12"), People.input(dateOfBirth: "1985-12-11"),
            People.input(postalCode: "30319"), People.input(address: "13 Saint James Street"),
            People.input(address: "12 Elm Road"),
        ])
    func others(_ other: PersonalDataInput) throws {
        #expect(try !Self.agree(People.input(), other))
    }

    @Test("marks that belong to a letter are kept")
    func scripts() throws {
        // が and か differ by a sound mark; ки and кй by a breve that people omit.
        #expect(try !Self.agree(People.input(lastName: "がが"), People.input(lastName: "かか")))
        #expect(
            try Self.agree(People.input(lastName: "Алексей"), People.input(lastName: "Алексеи")))
        #expect(try !Self.agree(People.input(lastName: "की"), People.input(lastName: "कु")))
    }

    @Test(
        "city and state are compared only if both sides have them, and cannot prevent a match alone"
    )
    func optional() throws {
        let whole = People.input(city: "Atlanta", state: "Georgia")
        for other in [
            People.input(), People.input(city: "ATLANTA"), People.input(state: "ga"),
            People.input(city: "", state: " "), People.input(city: "Decatur", state: "GA"),
        ] {
            #expect(try Self.agree(whole, other))
        }
        let scores = try PersonalData(whole).scores(against: PersonalData(People.input()))
        #expect(scores.scores[.city] == nil && scores.scores[.state] == nil && scores.total == 1)
    }

    @Test("no other field makes up for one below its minimum", arguments: IdentityField.allCases)
    func minimums(_ field: IdentityField) {
        var scores = Dictionary(uniqueKeysWithValues: IdentityField.allCases.map { ($0, 1.0) })
        scores[field] = field.minimum
        #expect(FieldScores(scores).disagreeing.isEmpty)
        scores[field] = field.minimum - 0.01
        #expect(FieldScores(scores).agrees == (field.minimum == 0))
        scores[field] = nil
        #expect(FieldScores(scores).agrees == !IdentityField.required.contains(field))
    }

    @Test("the total weighs fields by their points")
    func total() {
        #expect(IdentityField.allCases.reduce(0) { $0 + $1.points } == 100)
        #expect(FieldScores([.dateOfBirth: 1, .lastName: 0.5, .state: 0]).total == 35.0 / 48)
        #expect(FieldScores([:]).total == 0 && !FieldScores([:]).agrees)
        #expect(FieldScores([.city: 7, .state: -1]).total == 5.0 / 8)
    }

    static let missing: [(String, PersonalDataInput)] = [
        ("firstName", People.input(firstName: "")), ("firstName", People.input(firstName: " .'")),
        ("lastName", People.input(lastName: "-")), ("address", People.input(address: " , ")),
        ("postalCode", People.input(postalCode: " ")),
        ("dateOfBirth", People.input(dateOfBirth: "")),
        ("firstName", People.input(firstName: String(repeating: "a", count: 201))),
        ("lastName", People.input(lastName: "a\u{0}b")),
        ("lastName", People.input(lastName: "a\u{202E}b")),
        ("city", People.input(city: String(repeating: "a", count: 201))),
        ("address", People.input(address: "a" + String(repeating: "\u{301}", count: 31))),
    ]

    @Test("an error names the input and repeats nothing of it")
    func errors() {
        for (field, input) in Self.missing {
            let error = #expect(throws: IdentityError.self) { try PersonalData(input) }
            #expect(error?.field == field && error?.code == .informationNotProvided)
        }
        let error = #expect(throws: IdentityError.self) {
            try PersonalData(People.input(dateOfBirth: "1985-02-30"))
        }
        #expect(error?.code == .invalidAge && error?.description.contains("1985") == false)
    }

    @Test("personal data and scores print nothing")
    func printing() throws {
        let person = try PersonalData(People.input())
        let answer = SourceAnswer(comparing: person, with: [RegistryPerson(person)])
        var text = ""
        dump(People.input(), to: &text)
        dump(person, to: &text)
        dump(answer, to: &text)
        dump(RegistryPerson(person), to: &text)
        text += "\(People.input()) \(person) \(answer)"
        for word in ["Ada", "ada", "Love", "love", "1985", "30318", "james", "1.0"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test("people who agree share a blocking text, in random worlds of typing mistakes")
    func blocking() throws {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("abcdeéüß'- ")
        var agreed = 0
        for _ in 0..<2000 {
            var a = People.input(), b = People.input()
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                var name = Array(b.lastName)
                name[Int.random(in: 0..<name.count, using: &generator)] =
                    letters.randomElement(using: &generator)!
                b.lastName = String(name)
            }
            if Bool.random(using: &generator) { a.postalCode = "30319" }
            if Bool.random(using: &generator) { b.dateOfBirth = "1985-12-11" }
            let x = try PersonalData(a), y = try PersonalData(b)
            if x.scores(against: y).agrees {
                agreed += 1
                #expect(!Set(x.blockingTexts).isDisjoint(with: y.blockingTexts))
            }
        }
        #expect(agreed > 100)
    }
}

@Suite("Sources of personal data")
struct IdentitySourceTests {
    @Test("the closest reference that agrees decides, in any order")
    func closest() throws {
        let person = try PersonalData(People.input())
        let moved = try PersonalData(People.input(address: "1 Elm Road", postalCode: "30319"))
        let typo = try PersonalData(People.input(lastName: "Lovelok"))
        for candidates in [[moved, typo], [typo, moved]] {
            let scores = candidates.map { person.scores(against: $0) }
            let best = try #require(RegistryMatch.best(of: scores))
            #expect(candidates[best] == typo && scores[best].agrees)
        }
        #expect(RegistryMatch.best(of: []) == nil)
    }

    @Test("an answer becomes checks")
    func checks() throws {
        let person = try PersonalData(People.input())
        func checks(_ input: PersonalDataInput, _ marks: Set<SourceAnswer.Mark> = []) throws
            -> SourceAnswer
        {
            SourceAnswer(
                comparing: person, with: [RegistryPerson(try PersonalData(input), marks: marks)])
        }
        #expect(try Set(checks(People.input()).checks.results.values) == [.passed])
        let moved = try checks(People.input(postalCode: "30319"), [.deceased])
        #expect(moved.checks[.name] == .passed && moved.checks[.address] == .failed)
        #expect(moved.checks[.notDeceased] == .failed && moved.block == .deceased)
        let other = try checks(People.input(firstName: "Eve"), [.deceased, .fraud])
        #expect(other.block == nil && other.checks[.notReportedFraud] == .passed)
        #expect(try checks(People.input(), [.deceased, .fraud]).block == .fraud)
        let nobody = SourceAnswer(comparing: person, with: [])
        #expect(nobody.checks[.name] == .failed && nobody.checks[.address] == .failed)
        // Every field reaches its minimum, but the total does not.
        let unclear = SourceAnswer(
            scores: FieldScores([
                .firstName: 0.8, .lastName: 0.8, .dateOfBirth: 1, .address: 0.7, .postalCode: 1,
            ]))
        #expect(unclear.checks[.name] == .inconclusive && unclear.scores?.agrees == false)
    }

    @Test("the simulator verifies John Smith and not Jack Smith, in any case, and says what it is")
    func simulator() async throws {
        let source = SimulatedIdentitySource()
        #expect(source.isSimulated && source.name == "simulator")
        func answer(_ first: String) async throws -> SourceAnswer {
            let input = PersonalDataInput(
                firstName: first, lastName: "SMITH", address: "222333 PEACHTREE PLACE",
                postalCode: "30318", country: "US", dateOfBirth: "1975-02-28")
            return try await source.compare(
                SourceQuery(
                    attempt: #require(IdentityAttemptID("idv_1")), person: PersonalData(input),
                    input: input))
        }
        #expect(try await answer("JOHN").scores?.agrees == true)
        #expect(try await answer("JACK").scores?.agrees == false)
    }
}
