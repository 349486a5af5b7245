/// The learned parameters of a descriptor network, in the order of its archive.
package struct DescriptorParameters: Equatable, Sendable {
    /// A convolution and the affine layer after it.
    package struct Convolution: Equatable, Sendable {
        package let layer: DescriptorLayer.Convolution
        /// `[outputs, inputs, window, window]`, the last one fastest.
        package let filters: [Float]
        /// One per output channel: filters × input + bias, then × scale + shift.
        package let biases, scales, shifts: [Float]
    }

    /// The means that the input layer subtracts from red, green, and blue (0...255) before it
    /// divides by 256.
    package let means: [Double]
    /// The convolutions, from input to output.
    package let convolutions: [Convolution]
    /// `[inputs, outputs]`, the last one fastest.
    package let matrix: [Float]
}

extension DescriptorParameters {
    /// Reads a whole archive: loss, versions from output to input, input layer, layers from input
    /// to output.
    ///
    /// - Throws: ``DlibArchiveError`` when the bytes are not exactly a network of this
    ///   architecture.
    package init(archive bytes: [UInt8], architecture: DescriptorArchitecture)
        throws(DlibArchiveError)
    {
        var archive = DlibArchive(bytes)
        let layers = architecture.layers
        try Self.skipLoss(&archive)
        for layer in layers.dropFirst().reversed() {
            try archive.expect(layer.version, "layer version")
        }
        try archive.expect(3, "first layer's version")
        means = try archive.input(side: architecture.side)

        var convolutions: [Convolution] = [], matrix: [Float] = []
        var open: (layer: DescriptorLayer.Convolution, filters: [Float], biases: [Float])?
        for (index, layer) in layers.enumerated() {
            switch layer {
            case .convolution(let layer):
                let (filters, biases) = try archive.convolution(layer)
                open = (layer, filters, biases)
            case .affine(let channels):
                let (scales, shifts) = try archive.affine(channels: channels)
                if let open {
                    convolutions.append(
                        .init(
                            layer: open.layer, filters: open.filters, biases: open.biases,
                            scales: scales, shifts: shifts))
                }
            case .relu: try archive.expect("relu_")
            case .maxPool(let window, let stride):
                try archive.pool("max_pool_2", window: window, stride: stride)
            case .averagePool(let window, let stride):
                try archive.pool("avg_pool_2", window: window, stride: stride)
            case .averageEverything: try archive.pool("avg_pool_2", window: 0, stride: 1)
            case .add: try archive.expect("add_prev_")
            case .matrix(let inputs, let outputs):
                matrix = try archive.matrix(inputs: inputs, outputs: outputs)
            case .tag, .skip: continue
            }
            try archive.skipState()
            if index == 0 { try archive.expect([1], "samples per image") }
        }
        try archive.finish()
        (self.convolutions, self.matrix) = (convolutions, matrix)
    }

    /// Skips the loss that the network was trained with (margin and distance).
    private static func skipLoss(_ archive: inout DlibArchive) throws(DlibArchiveError) {
        try archive.expect(1, "loss version")
        try archive.expect("loss_metric_2")
        for _ in 0..<2 { _ = try archive.real() }
    }
}
