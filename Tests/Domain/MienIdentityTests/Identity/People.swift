import MienIdentity

/// Invented people.
enum People {
    static func input(
        firstName: String = "Ada", lastName: String = "Lovelock",
        address: String = "12 Saint James Street", city: String? = nil, state: String? = nil,
        postalCode: String = "30318", country: String = "US", dateOfBirth: String = "1985-12-10"
    ) -> PersonalDataInput {
        PersonalDataInput(
            firstName: firstName, lastName: lastName, address: address, city: city, state: state,
            postalCode: postalCode, country: country, dateOfBirth: dateOfBirth)
    }
}
