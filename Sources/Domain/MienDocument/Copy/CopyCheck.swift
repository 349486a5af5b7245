/// A check for a kind of copy. Passing means that no sign of it was found, not that the document is
/// an original; `docs/measurements/documents.md` has the error rates.
public enum CopyCheck: String, Sendable, CaseIterable {
    /// The document has color, which a black-and-white copy lacks.
    case notPhotocopy = "document_not_photocopy"
    /// There is no regular pattern like that of a screen's pixels or of a halftone print.
    case notScreen = "document_not_screen"

    public enum Result: String, Sendable, CaseIterable {
        case passed, failed
        /// There is a sign of a copy that documents sometimes have, too.
        case inconclusive
        /// The document is missing, cut off, or too small, or its picture too dark.
        case notChecked = "not_checked"
    }

    /// The result for measurements; `nil` means that nothing could be measured.
    public func result(
        _ measurements: CopyMeasurements?, limits: CopyLimits = .standard
    ) -> Result {
        switch self {
        case .notPhotocopy:
            guard let spread = measurements?.colorSpread, spread.isFinite else {
                return .notChecked
            }
            return spread < limits.noColor
                ? .failed : spread < limits.littleColor ? .inconclusive : .passed
        case .notScreen:
            guard let brightness = measurements?.brightnessPattern,
                let color = measurements?.colorPattern, brightness.isFinite, color.isFinite
            else { return .notChecked }
            // Never failed: real documents have fine regular lines as well.
            return brightness > limits.brightnessPattern || color > limits.colorPattern
                ? .inconclusive : .passed
        }
    }
}

/// The limits of the checks for copies.
public struct CopyLimits: Sendable, Hashable {
    /// Below this spread of colors, there is none.
    public var noColor: Double
    /// Below this, there is so little that it may be the light's.
    public var littleColor: Double
    public var brightnessPattern: Double
    public var colorPattern: Double

    public init(
        noColor: Double, littleColor: Double, brightnessPattern: Double, colorPattern: Double
    ) {
        (self.noColor, self.littleColor) = (noColor, littleColor)
        (self.brightnessPattern, self.colorPattern) = (brightnessPattern, colorPattern)
    }

    /// Measured on drawn documents and simulated copies; see `docs/measurements/documents.md`.
    public static let standard = CopyLimits(
        noColor: 0.012, littleColor: 0.017, brightnessPattern: 2.4, colorPattern: 1.9)
}
