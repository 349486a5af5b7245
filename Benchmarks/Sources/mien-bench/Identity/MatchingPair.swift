import MienCore
import MienIdentity

/// Personal data as a person typed it, and the rows of a registry that a search for it finds.
///
/// The same number is always the same pair. Everybody is invented: names are drawn from short lists
/// of names that are common in several countries, because invented syllables have neither twins
/// whose names are alike nor short forms.
struct MatchingPair {
    /// The circumstances of a pair.
    enum Kind: String, CaseIterable {
        // The person is in the registry.
        case same = "typed as registered"
        case middleLeftOut = "middle name left out"
        case middleInitial = "initial of the middle name"
        case titles = "several titles"
        case typoFirst = "one typing mistake in the first name"
        case typoLast = "one typing mistake in the last name"
        case typoStreet = "one typing mistake in the street"
        case shortForm = "short form of the first name"
        case firstInitial = "initial of the first name"
        case oneSurname = "one of two last names"
        case particle = "last name without its particles"
        case script = "names in another script"
        case swappedNames = "first and last name exchanged"
        case deadTwin = "a twin has died"
        case markedNamesake = "a mark on somebody of the same name and birthday"
        case swappedDate = "day and month exchanged"
        case wrongCode = "one wrong digit of the postal code"
        // Somebody else is in the registry.
        case twin = "twin"
        case alikeTwin = "twin with an alike name"
        case sharedNameTwin = "twin with the same first of two given names"
        case twins = "the first of two given names, which twins share"
        case namesake = "same name and birthday elsewhere"
        case child = "child of the same name"
        case spouse = "spouse"
        case neighbor = "same name and birthday next door"
        case nearBirthday = "same name and address, another birthday"
        // The person is in the registry, with a mark.
        case marked = "a mark on the row itself"

        /// Whether the person is in the registry without a mark, so that nothing is wrong with
        /// accepting the data.
        var isGenuine: Bool {
            switch self {
            case .twin, .alikeTwin, .sharedNameTwin, .twins, .namesake, .child, .spouse, .neighbor,
                .nearBirthday, .marked:
                false
            default: true
            }
        }
    }

    let kind: Kind
    let typed: PersonalDataInput
    let rows: [(input: PersonalDataInput, marks: Set<SourceAnswer.Mark>)]

    init(_ number: Int) {
        var chance = SeededGenerator(seed: UInt64(number))
        kind = Kind.allCases[number % Kind.allCases.count]
        var row = Self.person(&chance)
        var typed = row
        var others: [(input: PersonalDataInput, marks: Set<SourceAnswer.Mark>)] = []
        var marks: Set<SourceAnswer.Mark> = []
        let mark: SourceAnswer.Mark = Bool.random(using: &chance) ? .deceased : .fraud
        func other(_ name: String) -> String {
            var found = name
            while found == name { found = Self.pick(Self.firstNames, &chance) }
            return found
        }
        switch kind {
        case .same: typed.firstName = typed.firstName.uppercased()
        case .middleLeftOut: row.firstName += " " + other(row.firstName)
        case .middleInitial:
            let middle = other(row.firstName)
            row.firstName += " " + middle
            typed.firstName += " " + middle.prefix(1) + (Bool.random(using: &chance) ? "." : "")
        case .titles: typed.firstName = "Prof. Dr. " + typed.firstName
        case .typoFirst: typed.firstName = Self.mistyped(row.firstName, &chance)
        case .typoLast: typed.lastName = Self.mistyped(row.lastName, &chance)
        case .typoStreet:
            let street = row.address.split(separator: " ")
            typed.address = "\(street[0]) \(Self.mistyped(String(street[1]), &chance)) \(street[2])"
        case .shortForm: (typed.firstName, row.firstName) = Self.pick(Self.shortForms, &chance)
        case .firstInitial: typed.firstName = row.firstName.prefix(1) + "."
        case .oneSurname:
            row.lastName += (Bool.random(using: &chance) ? "-" : " ") + "Moreno"
        case .particle: row.lastName = Self.pick(Self.particles, &chance) + " " + row.lastName
        case .script:
            let name = Self.pick(Self.scripts, &chance)
            (row.firstName, row.lastName) = (name.0, name.1)
            (typed.firstName, typed.lastName) = (name.2, name.3)
        case .swappedNames:
            (typed.firstName, typed.lastName) = (row.lastName, row.firstName)
        case .deadTwin:
            let names = Self.pick(Self.alikeNames, &chance)
            (row.firstName, typed.firstName) = (names.0, names.0)
            var twin = row
            twin.firstName = names.1
            others.append((twin, [mark]))
        case .markedNamesake:
            var namesake = Self.person(&chance)
            namesake.firstName = row.firstName
            namesake.lastName = row.lastName
            namesake.dateOfBirth = row.dateOfBirth
            others.append((namesake, [mark]))
        case .swappedDate: (row.dateOfBirth, typed.dateOfBirth) = ("1971-03-04", "1971-04-03")
        case .wrongCode: typed.postalCode = Self.otherDigit(row.postalCode, &chance)
        case .twin: typed.firstName = other(row.firstName)
        case .alikeTwin: (row.firstName, typed.firstName) = Self.pick(Self.alikeNames, &chance)
        case .sharedNameTwin:
            typed.firstName += " " + other(row.firstName)
            row.firstName += " " + other(row.firstName)
            while typed.firstName == row.firstName {
                typed.firstName = row.firstName.prefix { $0 != " " } + " " + other(row.firstName)
            }
        case .twins:
            let (one, two) = Self.pick(Self.alikeNames, &chance)
            var twin = row
            twin.firstName += " " + two
            row.firstName += " " + one
            others.append((twin, []))
        case .namesake:
            typed.address = Self.person(&chance).address
            typed.postalCode = Self.person(&chance).postalCode
        case .child:
            typed.dateOfBirth = "2001" + row.dateOfBirth.dropFirst(4)
            typed.lastName += " Jr."
        case .spouse:
            let spouse = Self.person(&chance)
            (typed.firstName, typed.dateOfBirth) = (other(row.firstName), spouse.dateOfBirth)
        case .neighbor: typed.address = "9" + row.address
        case .nearBirthday:
            let day = String(row.dateOfBirth.suffix(2))
            typed.dateOfBirth = row.dateOfBirth.dropLast(2) + Self.otherDay(day, &chance)
        case .marked: marks = [mark]
        }
        self.typed = typed
        rows = [(row, marks)] + others
    }

    /// The result of an attempt with the data.
    enum Outcome: String, CaseIterable { case verified, review, refused, blocked }

    func outcome() throws -> Outcome {
        let person = try PersonalData(typed)
        let answer = SourceAnswer(
            comparing: person,
            with: try rows.compactMap { row in
                let data = try PersonalData(row.input)
                // A registry finds its candidates by these.
                return Set(data.blockingTexts).isDisjoint(with: person.blockingTexts)
                    ? nil : RegistryPerson(data, marks: row.marks)
            })
        if answer.block != nil { return .blocked }
        return switch RecommendationRules.standard.recommendation(for: answer.checks) {
        case .allow: .verified
        case .challenge: .review
        case .deny: .refused
        }
    }

    // MARK: Invented people

    private static func person(_ chance: inout SeededGenerator) -> PersonalDataInput {
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &chance) }
        func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return PersonalDataInput(
            firstName: pick(firstNames, &chance), lastName: pick(lastNames, &chance),
            address:
                "\(number(1...899)) \(pick(streets, &chance)) \(pick(["Street", "Avenue", "Road"], &chance))",
            postalCode: String(String(100_000 + number(501...99_950)).dropFirst()), country: "US",
            dateOfBirth:
                "\(number(1930...1999))-\(digits(number(1...12)))-\(digits(number(1...28)))")
    }

    /// One typing mistake: a wrong, missing, or doubled letter, or two neighbors swapped, not in the
    /// first place.
    private static func mistyped(_ text: String, _ chance: inout SeededGenerator) -> String {
        let letters = Array(text)
        while true {
            var typed = letters
            let place = Int.random(in: 1..<letters.count, using: &chance)
            switch Int.random(in: 0..<4, using: &chance) {
            case 0: typed[place] = "abcdefghiklmnoprstuvwz".randomElement(using: &chance) ?? "x"
            case 1: typed.remove(at: place)
            case 2: typed.insert(typed[place], at: place)
            default: if place > 1 { typed.swapAt(place, place - 1) }
            }
            if typed != letters { return String(typed) }
        }
    }

    private static func otherDigit(_ code: String, _ chance: inout SeededGenerator) -> String {
        let last = code.last ?? "0"
        return code.dropLast()
            + ("0123456789".filter { $0 != last }.randomElement(using: &chance).map(String.init)
                ?? "")
    }

    private static func otherDay(_ day: String, _ chance: inout SeededGenerator) -> String {
        let days = (10...28).map(String.init).filter { $0 != day }
        return pick(days, &chance)
    }

    private static func pick<Element>(_ list: [Element], _ chance: inout SeededGenerator) -> Element
    {
        list[Int.random(in: 0..<list.count, using: &chance)]
    }

    private static let firstNames = [
        "Ada", "Amir", "Anna", "Astrid", "Carlos", "Charlotte", "Daniel", "Elena", "Emma", "Fatima",
        "François", "Gerald", "Hannah", "Ingrid", "James", "Jürgen", "Kevin", "Laura", "Lucia",
        "Maria", "Michael", "Mohammed", "Nadia", "Olivia", "Patrick", "Priya", "Robert", "Sofia",
        "Søren", "Theresa", "Victor", "Wei", "Yasmin", "Zoë",
    ]
    private static let lastNames = [
        "Anderson", "Becker", "Castillo", "Davis", "Eriksson", "Fischer", "Garcia", "Hoffmann",
        "Ivanova", "Johnson", "Kowalski", "Lindqvist", "Martinez", "Nguyen", "O’Brien", "Petersen",
        "Quintero", "Rossi", "Schmidt", "Tanaka", "Ullman", "Visser", "Williams", "Yilmaz",
    ]
    private static let streets = [
        "Washington", "Lincoln", "Jefferson", "Chestnut", "Highland", "Peachtree", "Broadway",
        "Sycamore", "Hillcrest", "Magnolia",
    ]
    private static let particles = ["van der", "von", "de la", "del", "di", "al", "ten"]
    /// Names of twins that differ by one or two letters.
    private static let alikeNames = [
        ("Hanna", "Anna"), ("Maria", "Marie"), ("Amy", "May"), ("Jan", "Jana"), ("Ella", "Emma"),
        ("Marco", "Mario"), ("Daniel", "Daniela"), ("Julian", "Juliana"),
        ("Christian", "Christina"),
        ("Alexandra", "Alexandro"), ("Martin", "Martina"), ("Gabriel", "Gabriela"),
        ("Stefan", "Stefanie"), ("Michaela", "Michael"), ("Hassan", "Hasan"), ("Sofia", "Sonia"),
        ("Philippa", "Philipp"), ("Francisco", "Francisca"), ("Antonio", "Antonia"),
        ("Katharina", "Katarina"), ("Mohammed", "Mohamad"), ("Erika", "Erik"), ("Lea", "Leo"),
    ]
    private static let shortForms = [
        ("Bob", "Robert"), ("Bill", "William"), ("Kate", "Katherine"), ("Liz", "Elizabeth"),
        ("Mike", "Michael"), ("Tom", "Thomas"), ("Jim", "James"), ("Peggy", "Margaret"),
        ("Pepe", "José"), ("Hans", "Johannes"), ("Sascha", "Alexander"), ("Paco", "Francisco"),
    ]
    private static let scripts = [
        ("Алексей", "Чайковский", "Aleksei", "Tchaikovsky"),
        ("Ольга", "Петрова", "Olga", "Petrova"),
        ("Евгений", "Щербаков", "Yevgeny", "Shcherbakov"), ("Юлия", "Жукова", "Yulia", "Zhukova"),
        ("Олександр", "Шевченко", "Oleksandr", "Shevchenko"),
        ("محمد", "حسين", "Mohammed", "Hussein"),
        ("فاطمة", "السيد", "Fatima", "El Sayed"), ("عمر", "خالد", "Omar", "Khalid"),
        ("يوسف", "إبراهيم", "Youssef", "Ibrahim"), ("Наталья", "Хрущёва", "Natalia", "Khrushcheva"),
    ]
}
