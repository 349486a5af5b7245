/// A way to copy a document.
public enum SpecimenCopy: String, Sendable, CaseIterable {
    /// By a black-and-white copier: toner as a halftone, as dots at random, or in even gray.
    case photocopy
    /// A color print with four rotated halftones.
    case halftone
    /// A color print with dots at random.
    case inkjet
    /// Shown on a phone's, a tablet's, a laptop's, or a monitor's screen.
    case screen
}
