import Testing

@testable import MienTools

@Suite struct FoldedConvolutionTests {
    let convolution = DescriptorParameters.Convolution(
        layer: .init(2, to: 2, window: 1, stride: 2), filters: [1, 2, 3, 4], biases: [10, 20],
        scales: [0.5, -2], shifts: [1, 100])

    @Test("an affine layer after the convolution scales filters and bias, and shifts the bias")
    func affine() {
        let folded = FoldedConvolution(convolution)
        #expect(folded.filters == [0.5, 1, -6, -8])
        #expect(folded.biases == [6, 60])
    }

    @Test("folding the input's normalization into filters and bias does not change the output")
    func normalization() {
        let folded = FoldedConvolution(convolution, pixelScale: 1.0 / 256, means: [128, 64])
        for (red, green) in [(0, 0), (255, 255), (128, 64), (7, 200)] as [(Float, Float)] {
            let x = [(red - 128) / 256, (green - 64) / 256]
            for output in 0..<2 {
                let c = convolution
                let plain =
                    (c.filters[2 * output] * x[0] + c.filters[2 * output + 1] * x[1]
                        + c.biases[output]) * c.scales[output]
                let once =
                    folded.filters[2 * output] * red + folded.filters[2 * output + 1] * green
                    + folded.biases[output]
                #expect(abs(plain + c.shifts[output] - once) < 1e-4)
            }
        }
    }

    @Test("on a plane of one pixel, a padded 3×3 window is its center")
    func onePixel() {
        let filters = (0..<18).map { Float($0) }
        let wide = DescriptorParameters.Convolution(
            layer: .init(2, to: 1, window: 3, stride: 1), filters: filters, biases: [1],
            scales: [1], shifts: [0])
        let folded = FoldedConvolution(wide).forOnePixel()
        #expect(folded.filters == [4, 13])
        #expect(folded.biases == [1])
        #expect(folded.layer == .init(2, to: 1, window: 1, stride: 1))
        #expect(folded.layer.padding == 0)
    }
}
