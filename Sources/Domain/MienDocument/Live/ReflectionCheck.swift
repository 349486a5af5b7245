/// The check whether reflections move across a document that is tilted.
///
/// A card's laminate, or its hologram, reflects a lamp at another place for each direction. Reflections
/// that are part of a picture stay where they are. Passing does not mean that the document is genuine:
/// glossy prints and the glass of screens reflect as well. `docs/measurements/documents.md` has the
/// error rates.
public struct ReflectionCheck: Sendable, Hashable {
    public static let name = "document_live"
    /// The number of pictures in a series.
    public static let frameRange = 4...8

    public enum Result: String, Sendable, CaseIterable {
        case passed
        /// Nothing is proved; the faults say why.
        case inconclusive
        /// There are no pictures.
        case notChecked = "not_checked"
    }

    /// Why a series proves nothing, in the order in which to mention it.
    public enum Fault: String, Sendable, CaseIterable {
        /// Too few pictures show all of the document.
        case noDocument = "no_document"
        /// The print is that of another kind of document than the one in its own picture. Two people's
        /// documents of one kind are too alike to be told apart here.
        case otherDocument = "other_document"
        /// The document was not tilted enough.
        case tiltMore = "tilt_more"
        /// No reflection moves across the document.
        case noReflection = "no_reflection"
    }

    /// The requirements for a series.
    public struct Limits: Sendable, Hashable {
        public var frames: Int
        /// Degrees.
        public var tilt: Double
        public var likeness: Double
        public var reflections: Double

        public init(frames: Int, tilt: Double, likeness: Double, reflections: Double) {
            (self.frames, self.tilt) = (frames, tilt)
            (self.likeness, self.reflections) = (likeness, reflections)
        }

        /// Measured on drawn specimens; see `docs/measurements/documents.md`. Light seems to be added to up
        /// to 16 % of a grainy print on dull paper, so less proves nothing.
        public static let standard = Limits(
            frames: 4, tilt: 10, likeness: 0.5, reflections: 0.2)
    }

    public let result: Result
    /// In the order of ``Fault``; empty unless the result is `inconclusive`.
    public let faults: [Fault]

    /// - Parameter measurements: `nil` without pictures.
    public init(_ measurements: TiltMeasurements?, limits: Limits = .standard) {
        guard let measurements else {
            (result, faults) = (.notChecked, [])
            return
        }
        guard measurements.frames >= limits.frames else {
            (result, faults) = (.inconclusive, [.noDocument])
            return
        }
        var faults: [Fault] = []
        // The conditions are negated so that NaN counts as a fault.
        if let likeness = measurements.likeness, !(likeness >= limits.likeness) {
            faults.append(.otherDocument)
        }
        if !(measurements.tilt >= limits.tilt) { faults.append(.tiltMore) }
        if !(measurements.reflections >= limits.reflections) { faults.append(.noReflection) }
        (result, self.faults) = (faults.isEmpty ? .passed : .inconclusive, faults)
    }
}
