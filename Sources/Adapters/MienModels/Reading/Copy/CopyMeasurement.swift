public import MienDocument
public import MienFace

extension CardPlace {
    /// Measures signs of a copy in the picture of the document; `nil` without a whole document that
    /// is large enough.
    public func copyMeasurements(in image: RGBImage) -> CopyMeasurements? {
        guard let corners, !isCutOff, width >= CaptureLimits.standard.width else { return nil }
        let spectrum = PatternSpectrum(image, within: corners)
        return CopyMeasurements(
            colorSpread: rectified(image, width: 480)?.colorSpread,
            brightnessPattern: spectrum?.brightnessPeak, colorPattern: spectrum?.colorPeak)
    }
}
