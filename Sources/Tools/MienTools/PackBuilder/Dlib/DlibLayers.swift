/// The layers of a dlib network as stored in an archive: a name with its version, the layer's own
/// fields, then the fields that every computing layer has. Source: dlib 19.24,
/// `dlib/dnn/layers.h`, `core.h`, and `input.h`.
extension DlibArchive {
    /// `con_4`. The parameters are filters `[outputs, inputs, window, window]`, then one bias per
    /// output.
    mutating func convolution(_ layer: DescriptorLayer.Convolution) throws(DlibArchiveError) -> (
        filters: [Float], biases: [Float]
    ) {
        try expect("con_4")
        let start = offset, parameters = try tensor()
        try require(
            parameters.shape, [layer.filterCount + layer.outputs, 1, 1, 1],
            "convolution parameters", at: start)
        try expect(
            [
                layer.outputs, layer.window, layer.window, layer.stride, layer.stride,
                layer.padding, layer.padding,
            ], "convolution")
        try expectView([layer.outputs, layer.inputs, layer.window, layer.window], "filters")
        try expectView([1, layer.outputs, 1, 1], "biases")
        try skipRates()
        return (
            Array(parameters.values[..<layer.filterCount]),
            Array(parameters.values[layer.filterCount...])
        )
    }

    /// `affine_`. The parameters are one scale per channel, then one shift per channel.
    mutating func affine(channels: Int) throws(DlibArchiveError) -> (
        scales: [Float], shifts: [Float]
    ) {
        try expect("affine_")
        let start = offset, parameters = try tensor()
        try require(parameters.shape, [2 * channels, 1, 1, 1], "affine parameters", at: start)
        try expectView([1, channels, 1, 1], "scales")
        try expectView([1, channels, 1, 1], "shifts")
        try expect([0], "affine mode (0: per channel)")
        return (Array(parameters.values[..<channels]), Array(parameters.values[channels...]))
    }

    /// `fc_2` without biases: a matrix of `inputs` rows and `outputs` columns.
    mutating func matrix(inputs: Int, outputs: Int) throws(DlibArchiveError) -> [Float] {
        try expect("fc_2")
        try expect([outputs, inputs], "matrix")
        let start = offset, parameters = try tensor()
        try require(parameters.shape, [inputs, outputs, 1, 1], "matrix parameters", at: start)
        try expectView([inputs, outputs, 1, 1], "weights")
        try expectView([0, 0, 0, 0], "biases")
        try expect([1], "matrix mode (1: no bias)")
        try skipRates()
        return parameters.values
    }

    /// `max_pool_2` or `avg_pool_2`; a window of 0 is the whole plane.
    mutating func pool(_ name: String, window: Int, stride: Int) throws(DlibArchiveError) {
        try expect(name)
        try expect([window, window, stride, stride, 0, 0], name)
    }

    /// `input_rgb_image_sized`: the means of red, green, and blue, then the side of the image in
    /// pixels.
    mutating func input(side: Int) throws(DlibArchiveError) -> [Double] {
        try expect("input_rgb_image_sized")
        let means = [try real(), try real(), try real()]
        try expect([side, side], "input")
        return means
    }

    /// Reads the fields after every computing layer: three flags of the training setup and three
    /// tensors of its state.
    mutating func skipState() throws(DlibArchiveError) {
        for _ in 0..<3 { _ = try flag() }
        for _ in 0..<3 { _ = try tensor() }
    }

    /// Reads the learning rates and weight decays, for weights and for biases.
    private mutating func skipRates() throws(DlibArchiveError) {
        for _ in 0..<4 { _ = try real() }
    }

    private mutating func expectView(_ shape: [Int], _ name: String) throws(DlibArchiveError) {
        let start = offset, found = try view()
        try require(found, shape, name, at: start)
    }
}
