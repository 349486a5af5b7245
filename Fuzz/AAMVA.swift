internal import MienCore
internal import MienDocument

/// Reads any bytes as a card's barcode, strictly and leniently, and checks it. Seeds:
/// Fuzz/Seeds/AAMVA.
///
/// Must hold: the result is an error with a documented code, or a card that gives back every byte;
/// what strict mode accepts, lenient mode accepts, too.
func fuzzAAMVA(_ bytes: [UInt8]) {
    let strict = card(bytes, .strict), lenient = card(bytes, .lenient)
    precondition(strict == nil || lenient != nil, "lenient mode is stricter")
    for card in [strict, lenient].compactMap({ $0 }) {
        precondition(card.bytes == bytes, "bytes are lost")
        _ = (card.givenNames, card.familyName, card.postalCode, card.heightCentimeters)
        let document = IdentityDocument(card: card, input: DocumentFields(card))
        for check in document.checks(now: Instant(seconds: 1_800_000_000))
        where check.sources.count == 2 {
            // A card agrees with itself, unless a name cannot be transliterated or has no letter.
            precondition(
                check.verdict != .failed
                    || [.sameFamilyName, .sameGivenNames].contains(check.name), "\(check.name)")
        }
    }
}

private func card(_ bytes: [UInt8], _ mode: AAMVACard.Mode) -> AAMVACard? {
    do { return try AAMVACard(bytes, mode: mode) } catch {
        precondition(
            [.cardSize, .cardHeader, .cardSubfile, .cardElement].contains(error.code)
                && !error.reason.isEmpty)
        return nil
    }
}
