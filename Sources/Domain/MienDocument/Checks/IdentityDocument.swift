public import MienCore

/// Everything that was read from one document, and what the person said about it.
public struct IdentityDocument: Sendable {
    public var zone: MachineReadableZone?
    public var card: AAMVACard?
    /// Fields from the printed text.
    public var visualZone: DocumentFields?
    /// The person's own statement.
    public var input: DocumentFields?

    public init(
        zone: MachineReadableZone? = nil, card: AAMVACard? = nil,
        visualZone: DocumentFields? = nil, input: DocumentFields? = nil
    ) {
        (self.zone, self.card, self.visualZone, self.input) = (zone, card, visualZone, input)
    }

    /// Checks the document. Pure: the same document and time give the same result.
    ///
    /// - Parameter now: The time of the check. Days are those of UTC, so a document may count as
    ///   expired up to half a day early or late.
    /// - Returns: The checks in a fixed order. Checks of parts that the document does not have are
    ///   left out.
    public func checks(now: Instant) -> [DocumentCheck] {
        let today = CalendarDate(now)
        var checks: [DocumentCheck] = []
        if let zone { checks += zone.checks(asOf: today) }
        if let card { checks += card.checks(asOf: today) }
        let stated = fields(asOf: today)
        for (index, first) in stated.enumerated() {
            for second in stated[(index + 1)...] { checks += first.compared(with: second) }
        }
        return checks
    }

    /// The fields of each source.
    public func fields(asOf today: CalendarDate) -> [DocumentFields] {
        [
            zone.map { DocumentFields($0, asOf: today) }, card.map { DocumentFields($0) },
            visualZone, input,
        ].compactMap { $0 }
    }
}
