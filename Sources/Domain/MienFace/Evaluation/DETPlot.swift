public import MienPixels

/// A detection error trade-off plot: false non-matches over false matches, both on normal-deviate
/// axes.
///
/// On these axes, normally distributed scores form straight lines. Lower and further left is
/// better. Source: Martin and others, "The DET curve in assessment of detection task performance",
/// Eurospeech 1997.
public struct DETPlot: Sendable {
    public struct Curve: Sendable {
        public let name: String
        public let points: [ErrorRates.Point]
        public let colour: RGBColour
        /// The number of impostor pairs behind the curve. The curve is dashed where fewer than 30
        /// remain.
        public let impostorPairs: Int

        public init(name: String, rates: ErrorRates, colour: RGBColour) {
            (self.name, points, self.colour, impostorPairs) = (
                name, rates.tradeoff(), colour, rates.impostorPairs
            )
        }
    }

    public let title: String
    public let curves: [Curve]

    /// Blue, orange, green, red. Most people with color vision deficiency can distinguish them.
    public static let colours = [
        RGBColour(0, 114, 178), RGBColour(230, 140, 0), RGBColour(0, 140, 105),
        RGBColour(204, 60, 60),
    ]

    public init(title: String, curves: [Curve]) { (self.title, self.curves) = (title, curves) }

    /// The rates at the ends of the axes.
    static let falseMatchRange = 5e-7...0.5
    static let falseNonMatchRange = 1e-3...0.8
    static let ticks: [(rate: Double, label: String)] = [
        (1e-6, "0.0001"), (1e-5, "0.001"), (1e-4, "0.01"), (1e-3, "0.1"), (2e-3, "0.2"),
        (5e-3, "0.5"), (1e-2, "1"), (2e-2, "2"), (5e-2, "5"),
        (0.1, "10"), (0.2, "20"), (0.4, "40"), (0.6, "60"), (0.8, "80"),
    ]
}
