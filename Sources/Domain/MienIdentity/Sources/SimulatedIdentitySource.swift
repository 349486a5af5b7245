/// A source that knows one invented person, John Smith. Off unless a deployment configures it, and
/// marked in every result.
public struct SimulatedIdentitySource: IdentityDataSource {
    public let name = "simulator"
    public let isSimulated = true

    public init() {}

    /// The person whom the source knows.
    public static let person = PersonalDataInput(
        firstName: "John", lastName: "Smith", address: "222333 Peachtree Place",
        city: "Atlanta", state: "GA", postalCode: "30318", country: "US",
        dateOfBirth: "1975-02-28")

    public func compare(_ query: SourceQuery) async throws(IdentitySourceError) -> SourceAnswer {
        guard let known = try? PersonalData(Self.person) else { throw .unavailable }
        return SourceAnswer(comparing: query.person, with: [RegistryPerson(known)])
    }
}
