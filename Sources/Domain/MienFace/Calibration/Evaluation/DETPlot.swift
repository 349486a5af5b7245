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
        public let color: RGBColor
        /// The number of impostor pairs behind the curve. The curve is dashed where fewer than 30
        /// remain.
        public let impostorPairs: Int

        public init(name: String, rates: ErrorRates, color: RGBColor) {
            (self.name, points, self.color, impostorPairs) = (
                name, rates.tradeoff(), color, rates.impostorPairs
            )
        }
    }

    public let title: String
    public let curves: [Curve]

    /// Blue, orange, green, red. Most people with color vision deficiency can distinguish them.
    public static let colors = [
        RGBColor(0, 114, 178), RGBColor(230, 140, 0), RGBColor(0, 140, 105),
        RGBColor(204, 60, 60),
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
