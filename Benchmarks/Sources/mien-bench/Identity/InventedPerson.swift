import MienCore

/// A person of an invented registry. The same number is always the same person, so no list of them
/// has to be kept in memory.
///
/// Dates of birth, first letters, and postal codes are about as frequent as in a population, because
/// they decide how many people a search compares.
struct InventedPerson: Sendable {
    static let header =
        "id,first_name,last_name,address,city,state,postal_code,country,date_of_birth\n"

    let firstName, lastName, street, city, postalCode, dateOfBirth: String
    let number: Int

    init(_ number: Int) {
        var chance = SeededGenerator(seed: UInt64(number))
        self.number = number
        firstName = Self.word(Int.random(in: 2...3, using: &chance), &chance)
        lastName = Self.word(Int.random(in: 2...4, using: &chance), &chance)
        let house = Int.random(in: 1...4999, using: &chance)
        street =
            "\(house) \(Self.word(3, &chance)) \(Self.kinds.randomElement(using: &chance) ?? "Street")"
        city = Self.word(3, &chance)
        postalCode = String(
            String(100_000 + Int.random(in: 501...99_950, using: &chance)).dropFirst())
        let year = Int.random(in: 1930...2005, using: &chance)
        func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        dateOfBirth =
            "\(year)-\(digits(.random(in: 1...12, using: &chance)))-\(digits(.random(in: 1...28, using: &chance)))"
    }

    /// The person's row below ``header``. No field needs quotes.
    var row: String {
        "p\(number),\(firstName),\(lastName),\(street),\(city),GA,\(postalCode),US,\(dateOfBirth)\n"
    }

    /// The body of a request that verifies the person, in another case, with an abbreviated street,
    /// and without the city.
    var request: String {
        let typed = street.replacing(" Street", with: " St").replacing(" Avenue", with: " Ave.")
        return
            #"{"firstName":"\#(firstName.lowercased())","lastName":"\#(lastName.uppercased())","address":"\#(typed)","postalCode":"\#(postalCode)","country":"US","dateOfBirth":"\#(dateOfBirth)"}"#
    }

    private static let kinds = ["Street", "Avenue", "Road", "Lane"]
    private static let starts = [
        "b", "br", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v",
        "w",
    ]
    private static let vowels = ["a", "e", "i", "o", "u", "ai", "ea"]
    private static let ends = ["", "", "n", "r", "l", "s", "m"]

    private static func word(_ syllables: Int, _ chance: inout SeededGenerator) -> String {
        var word = ""
        for _ in 0..<syllables {
            for part in [starts, vowels, ends] { word += part.randomElement(using: &chance) ?? "" }
        }
        return word.prefix(1).uppercased() + word.dropFirst()
    }
}
