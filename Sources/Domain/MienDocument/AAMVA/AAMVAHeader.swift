/// The beginning of a card's barcode.
public struct AAMVAHeader: Sendable, Hashable {
    /// A line of the directory.
    public struct Entry: Sendable, Hashable {
        /// `DL`, `ID`, `EN`, or `Z` and a letter for a jurisdiction's own data.
        public let type: String
        /// Where the subfile begins, counted from the text's first byte.
        public let offset: Int
        /// The subfile's length in bytes.
        public let length: Int
    }

    /// `ANSI ` or, on the oldest cards, `AAMVA`; empty for the tracks of a magnetic stripe.
    public let fileType: String
    /// The issuer identification number, six digits.
    public let issuerNumber: String
    /// 1…99; 1–10 are published. 0 where the card does not state it.
    public let version: Int
    /// The jurisdiction's own version, which the first layout does not have.
    public let jurisdictionVersion: Int?
    /// The number of subfiles that the header announces.
    public let announcedEntries: Int
    public let entries: [Entry]
}
