/// One data element of a card's barcode.
public struct AAMVAElement: Sendable, Hashable {
    public let id: AAMVAElementID
    /// As encoded, with padding. See ``AAMVACard/subscript(_:)`` for the value without it.
    public let value: String
    /// The value's bytes.
    let bytes: [UInt8]
    /// The separators after the value.
    let ending: [UInt8]
}

/// A data element's three-letter identifier.
///
/// Source: AAMVA DL/ID Card Design Standard, annex D.
public struct AAMVAElementID: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    public static let number = Self("DAQ")
    public static let fullName = Self("DAA")
    public static let familyName = Self("DCS")
    public static let oldFamilyName = Self("DAB")
    public static let firstName = Self("DAC")
    public static let middleName = Self("DAD")
    public static let givenNames = Self("DCT")
    public static let suffix = Self("DCU")
    public static let birth = Self("DBB")
    public static let expiry = Self("DBA")
    public static let issue = Self("DBD")
    public static let sex = Self("DBC")
    public static let street = Self("DAG")
    public static let street2 = Self("DAH")
    public static let city = Self("DAI")
    public static let state = Self("DAJ")
    public static let postalCode = Self("DAK")
    // Version 1 has two addresses; some cards have only the second.
    public static let residenceStreet = Self("DAL")
    public static let residenceStreet2 = Self("DAM")
    public static let residenceCity = Self("DAN")
    public static let residenceState = Self("DAO")
    public static let residencePostalCode = Self("DAP")
    public static let country = Self("DCG")
    public static let eyes = Self("DAY")
    public static let hair = Self("DAZ")
    public static let height = Self("DAU")
    public static let pounds = Self("DAW")
    public static let kilograms = Self("DAX")
    public static let discriminator = Self("DCF")
    public static let inventory = Self("DCK")
    public static let audit = Self("DCJ")
    public static let vehicleClass = Self("DCA")
    public static let restrictions = Self("DCB")
    public static let endorsements = Self("DCD")
    public static let familyNameTruncated = Self("DDE")
    public static let firstNameTruncated = Self("DDF")
    public static let middleNameTruncated = Self("DDG")
    public static let compliance = Self("DDA")
    public static let cardRevision = Self("DDB")
    public static let limitedTerm = Self("DDD")
    public static let organDonor = Self("DDK")
    public static let veteran = Self("DDL")
}
