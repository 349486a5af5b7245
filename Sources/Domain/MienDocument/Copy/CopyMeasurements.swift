/// Measurements of a picture of a document that show signs of a copy.
public struct CopyMeasurements: Sendable, Hashable {
    /// How much the color differs across the document, whatever the light: the deviation of the
    /// logarithms of the ratios of red and blue to green. 0.03–0.3 for documents, below 0.012 for
    /// what a black-and-white copier prints. `nil` when too little of the document is neither dark
    /// nor overexposed.
    public var colorSpread: Double?
    /// How far the strongest regular pattern of brightness is above its surroundings in the
    /// spectrum, a logarithm: 1–2 for documents, up to 6 for screens and halftones. `nil` when the
    /// document is too small in the picture.
    public var brightnessPattern: Double?
    /// The same for differences between green and the other colors.
    public var colorPattern: Double?

    public init(
        colorSpread: Double? = nil, brightnessPattern: Double? = nil, colorPattern: Double? = nil
    ) {
        self.colorSpread = colorSpread
        (self.brightnessPattern, self.colorPattern) = (brightnessPattern, colorPattern)
    }
}
