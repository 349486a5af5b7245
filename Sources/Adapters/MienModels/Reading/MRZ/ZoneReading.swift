public import MienDocument

/// A machine-readable zone that was found in a picture.
public struct ZoneReading: Sendable {
    public enum Status: String, Sendable, CaseIterable {
        /// Every check digit is right, and no other reading with right digits is nearly as probable.
        case valid
        /// The characters are clear, and check digits are wrong as printed.
        case invalid
        /// The characters are not clear enough. Take another picture.
        case unsure
    }

    public let zone: MachineReadableZone
    public let status: Status
    /// The mean score of the characters, a logarithm: −0.05 or more for clear print.
    public let clarity: Double
    /// The ends of each line in pixels, with (0, 0) at the picture's top-left corner.
    public internal(set) var lines: [(start: (x: Double, y: Double), end: (x: Double, y: Double))]

    /// How probable the reading is, to compare readings of one picture.
    let rank: Double

    /// The limits of a valid reading. Measured on development specimens; without the margins, three
    /// wrong readings would have been accepted.
    enum Limit {
        static let repairCost: Float = 3, checkMargin: Float = 4, nameMargin: Float = 2
        static let freeMargin: Float = 2, printedMargin: Float = 3, maskCost: Float = 6
    }

    /// A reading whose status is known.
    init(_ zone: MachineReadableZone, _ status: Status) {
        (self.zone, self.status) = (zone, status)
        (clarity, lines, rank) = (0, [], 0)
    }

    init(_ decoded: DecodedZone, _ aligned: [AlignedLine]) {
        let isRepairCheap = decoded.repairCost <= Limit.repairCost
        let isClear =
            decoded.checkMargin >= Limit.checkMargin && decoded.nameMargin >= Limit.nameMargin
            && decoded.freeMargin >= Limit.freeMargin
        let format = decoded.grammar.format
        if isRepairCheap, decoded.maskCost <= Limit.maskCost {
            zone = MachineReadableZone(trusted: decoded.repaired, format)
            status = isClear && zone.hasRightCheckDigits ? .valid : .unsure
        } else {
            // The digits do not fit what is printed: show that, and never repair it.
            zone = MachineReadableZone(trusted: decoded.printed, format)
            status =
                !zone.hasRightCheckDigits && decoded.printedMargin >= Limit.printedMargin
                ? .invalid : .unsure
        }
        clarity = aligned.reduce(0) { $0 + $1.score } / Double(aligned.count)
        let perCharacter =
            Double(max(decoded.score, decoded.unruledScore - 14))
            / Double(format.lineLength * format.lineCount)
        rank = perCharacter - (decoded.grammar.isLong || format == .frenchCard ? 0.05 : 0)
        lines = aligned.map {
            (
                ($0.line.start.x + 0.5, $0.line.start.y + 0.5),
                ($0.line.end.x + 0.5, $0.line.end.y + 0.5)
            )
        }
    }
}
