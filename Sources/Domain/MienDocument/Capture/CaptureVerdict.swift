public import MienCore

/// Measurements of a picture of a document.
public struct CaptureMeasurements: Sendable, Hashable {
    /// The number of documents: 0, 1, or 2 for more than one.
    public var documents: Int
    /// Whether part of the document is outside of the picture.
    public var isCutOff: Bool
    /// The document's longer side in pixels.
    public var width: Double
    /// How steep the edges of the print are, 0…1. `nil` without edges.
    public var sharpness: Double?
    /// The brightness of the document's paper, 0…255.
    public var brightness: Double
    /// The share of the document that reflections hide, 0…1.
    public var glare: Double

    public init(
        documents: Int, isCutOff: Bool = false, width: Double = 0, sharpness: Double? = nil,
        brightness: Double = 0, glare: Double = 0
    ) {
        (self.documents, self.isCutOff, self.width) = (documents, isCutOff, width)
        (self.sharpness, self.brightness, self.glare) = (sharpness, brightness, glare)
    }
}

/// The requirements for a picture of a document that can be read.
public struct CaptureLimits: Sendable, Hashable {
    /// The least longer side of the document in pixels.
    public var width: Double
    public var sharpness: Double
    public var brightness: Double
    /// The greatest share of the document that reflections may hide.
    public var glare: Double

    public init(width: Double, sharpness: Double, brightness: Double, glare: Double) {
        (self.width, self.sharpness) = (width, sharpness)
        (self.brightness, self.glare) = (brightness, glare)
    }

    /// Measured on drawn specimens; see `docs/measurements/documents.md`.
    public static let standard = CaptureLimits(
        width: 480, sharpness: 0.36, brightness: 70, glare: 0.006)
}

/// A fault of a picture of a document. The cases are in the order in which to mention them.
public enum CaptureFault: String, Sendable, CaseIterable {
    case noDocument = "no_document"
    case severalDocuments = "several_documents"
    /// A corner or more is outside of the picture.
    case cutOff = "cut_off"
    case tooSmall = "too_small"
    case tooDark = "too_dark"
    case blurred
    case glare

    public var reason: RecaptureReason {
        self == .noDocument ? .imageMissing : .poorImageQuality
    }
}

/// The judgment of a picture of a document: its faults.
public struct CaptureVerdict: Sendable, Hashable {
    public let measurements: CaptureMeasurements
    /// In the order of ``CaptureFault``; empty for a good picture.
    public let faults: [CaptureFault]

    public init(_ measurements: CaptureMeasurements, limits: CaptureLimits = .standard) {
        self.measurements = measurements
        guard measurements.documents > 0 else {
            faults = [.noDocument]
            return
        }
        var faults: [CaptureFault] = []
        if measurements.documents > 1 { faults.append(.severalDocuments) }
        if measurements.isCutOff { faults.append(.cutOff) }
        // The conditions are negated so that NaN counts as a fault.
        if !(measurements.width >= limits.width) { faults.append(.tooSmall) }
        if !(measurements.brightness >= limits.brightness) { faults.append(.tooDark) }
        if let sharpness = measurements.sharpness, !(sharpness >= limits.sharpness) {
            faults.append(.blurred)
        }
        if !(measurements.glare <= limits.glare) { faults.append(.glare) }
        self.faults = faults
    }

    public var isGood: Bool { faults.isEmpty }

    /// Why another picture is needed; `nil` for a good one.
    public var reason: RecaptureReason? { faults.first?.reason }
}
