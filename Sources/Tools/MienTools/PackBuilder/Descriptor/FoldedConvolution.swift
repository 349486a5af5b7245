/// A convolution that includes the layers before and after it: only filters × input + bias remains
/// to be computed.
///
/// Sums use double precision and are rounded once, so that the result does not depend on the
/// machine.
package struct FoldedConvolution: Equatable, Sendable {
    package private(set) var layer: DescriptorLayer.Convolution
    /// `[outputs, inputs, window, window]`, the last one fastest.
    package private(set) var filters: [Float]
    /// One per output channel.
    package let biases: [Float]

    /// Folds in the affine layer: filters × scale, biases × scale + shift.
    package init(_ convolution: DescriptorParameters.Convolution) {
        self.init(convolution, pixelScale: 1, means: [])
    }

    /// Folds in the affine layer and, before the convolution, (pixel − mean) × `pixelScale`.
    ///
    /// - Parameter means: one per input channel; an empty list means 0. Exact for a convolution
    ///   without padding.
    package init(
        _ convolution: DescriptorParameters.Convolution, pixelScale: Double, means: [Double]
    ) {
        layer = convolution.layer
        precondition(
            means.isEmpty || (means.count == layer.inputs && layer.padding == 0),
            "padding would not be normalized")
        let plane = layer.window * layer.window, perOutput = layer.inputs * plane
        var filters = [Float](), biases = [Float]()
        filters.reserveCapacity(layer.filterCount)
        for output in 0..<layer.outputs {
            let scale = Double(convolution.scales[output])
            var bias =
                Double(convolution.biases[output]) * scale + Double(convolution.shifts[output])
            for weight in convolution.filters[output * perOutput..<(output + 1) * perOutput] {
                filters.append(Float(Double(weight) * scale * pixelScale))
            }
            for (input, mean) in means.enumerated() {
                let taps = convolution.filters[
                    output * perOutput + input * plane..<output * perOutput + (input + 1) * plane]
                for weight in taps { bias -= Double(weight) * scale * pixelScale * mean }
            }
            biases.append(Float(bias))
        }
        (self.filters, self.biases) = (filters, biases)
    }

    /// Returns the same convolution for a plane of one pixel: only the center of a padded 3×3
    /// window ever meets that pixel.
    package func forOnePixel() -> FoldedConvolution {
        precondition(
            layer.stride == 1 && layer.padding == layer.window / 2,
            "the window must be centered on the pixel")
        let plane = layer.window * layer.window
        var copy = self
        copy.layer = .init(layer.inputs, to: layer.outputs, window: 1, stride: 1)
        copy.filters = stride(from: plane / 2, to: filters.count, by: plane).map { filters[$0] }
        return copy
    }
}
