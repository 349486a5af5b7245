extension OpenVINOIR {
    /// Builds the descriptor network.
    ///
    /// - Input `image`: `[batch, side, side, 3]`, 32-bit floats, RGB, 0...255 without scaling. The
    ///   batch size is open.
    /// - Output `descriptor`: `[batch, outputs]`, 32-bit floats, **not** of unit length.
    ///
    /// The first convolution includes the subtraction of the means and the division by 256. Each
    /// affine layer is part of the convolution before it.
    package init(_ parameters: DescriptorParameters, architecture: DescriptorArchitecture) {
        self.init()
        var rest = parameters.convolutions[...]
        var x = stem(
            FoldedConvolution(rest.removeFirst(), pixelScale: 1.0 / 256, means: parameters.means),
            side: architecture.side)
        for (index, block) in architecture.blocks.enumerated() {
            let first = FoldedConvolution(rest.removeFirst()),
                second = FoldedConvolution(rest.removeFirst())
            x = residual("block\(index + 1)", x, first, second, halves: block.halves)
        }
        let means = planeMeans("means", x)
        result(
            product("descriptor", means, matrix: parameters.matrix, outputs: architecture.outputs),
            name: "result")
    }

    private mutating func stem(_ convolution: FoldedConvolution, side: Int) -> Value {
        let image = parameter("image", shape: [1, side, side, 3])
        let x = self.convolution(
            "stem.convolution", channelsFirst("stem.planes", image), convolution)
        let pool = (
            window: DescriptorArchitecture.poolWindow, stride: DescriptorArchitecture.poolStride
        )
        return maxPool("stem.pool", relu("stem.relu", x), window: pool.window, stride: pool.stride)
    }

    private mutating func residual(
        _ name: String, _ x: Value, _ first: FoldedConvolution, _ second: FoldedConvolution,
        halves: Bool
    ) -> Value {
        let inner = relu("\(name).relu1", convolution("\(name).convolution1", x, first))
        let long = convolution(
            "\(name).convolution2", inner, inner.shape[2] == 1 ? second.forOnePixel() : second)
        let short = halves ? averagePool("\(name).pool", x, window: 2, stride: 2) : x
        let shape = zip(long.shape, short.shape).map(max)
        let sum = sum(
            "\(name).sum", padded("\(name).long", long, to: shape),
            padded("\(name).short", short, to: shape))
        return relu("\(name).relu2", sum)
    }
}
