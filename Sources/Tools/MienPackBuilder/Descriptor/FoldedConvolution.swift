/// A convolution that has taken in what stands before and after it: filters × input + bias is all
/// there is to compute.
///
/// Sums are formed in double precision and rounded once, so the result does not depend on the
/// machine.
package struct FoldedConvolution: Equatable, Sendable {
    package private(set) var layer: DescriptorLayer.Convolution
    /// `[outputs, inputs, window, window]`, the last one fastest.
    package private(set) var filters: [Float]
    /// One per output channel.
    package let biases: [Float]

    /// Takes in the affine layer: filters × scale, biases × scale + shift.
    package init(_ convolution: DescriptorParameters.Convolution) {
        self.init(convolution, pixelScale: 1, means: [])
    }

    /// Takes in the affine layer, and before the convolution (pixel − mean) × `pixelScale`.
    ///
    /// - Parameter means: one per input channel; none means 0. Exact for a convolution that adds no
    ///   zeros around its input.
    package init(
        _ convolution: DescriptorParameters.Convolution, pixelScale: Double, means: [Double]
    ) {
        layer = convolution.layer
        precondition(
            means.isEmpty || (means.count == layer.inputs && layer.padding == 0),
            "padding would not be normalised")
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

    /// The same convolution for a plane of one pixel: of a padded 3×3 window, only the centre ever
    /// meets that pixel.
    package func forOnePixel() -> FoldedConvolution {
        precondition(
            layer.stride == 1 && layer.padding == layer.window / 2,
            "the window must be centred on the pixel")
        let plane = layer.window * layer.window
        var copy = self
        copy.layer = .init(layer.inputs, to: layer.outputs, window: 1, stride: 1)
        copy.filters = stride(from: plane / 2, to: filters.count, by: plane).map { filters[$0] }
        return copy
    }
}
