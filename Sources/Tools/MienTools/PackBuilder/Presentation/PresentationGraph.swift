extension OpenVINOIR {
    /// Builds one network from several that judge the same crop.
    ///
    /// - Input `crop`: `[1, 3, 80, 80]`, 32-bit floats, BGR, 0...255 without scaling.
    /// - Output `scores`: `[1, 3]`, the mean of the networks' probabilities; number 1 is that of a
    ///   face.
    package init(_ networks: [PresentationNetwork]) {
        self.init()
        let side = PresentationNetwork.side, classes = PresentationNetwork.classes
        let crop = parameter("crop", shape: [1, 3, side, side])
        var sum: Value?
        for (index, network) in networks.enumerated() {
            let name = "network\(index + 1)", probabilities = append(network, name, crop)
            sum = sum.map { self.sum("\(name).sum", $0, probabilities) } ?? probabilities
        }
        guard let sum else { return }
        let share = constant("share", [1 / Float(networks.count)], shape: [1, 1])
        result(
            product("scores", sum, share, shape: [1, classes], outputName: "scores"),
            name: "result")
    }

    private mutating func append(_ network: PresentationNetwork, _ name: String, _ crop: Value)
        -> Value
    {
        var x = crop
        for (index, layer) in network.layers.enumerated() {
            let name = "\(name).layer\(index + 1)"
            switch layer {
            case .unit(let unit): x = append(unit, name, x)
            case .block(let units, let excitation, let addsInput):
                let input = x
                for (index, unit) in units.enumerated() {
                    x = append(unit, "\(name).unit\(index + 1)", x)
                }
                if let excitation { x = append(excitation, "\(name).excitation", x) }
                if addsInput { x = sum("\(name).sum", x, input) }
            }
        }
        // The plane is one pixel, so its mean is its value.
        let features = planeMeans("\(name).features", x)
        let weighed = product(
            "\(name).classes", features, matrix: network.matrix,
            outputs: PresentationNetwork.classes, isNamed: false)
        let biases = constant(
            "\(name).biases", network.biases, shape: [1, PresentationNetwork.classes])
        return softmax("\(name).softmax", sum("\(name).biased", weighed, biases))
    }

    private mutating func append(_ unit: PresentationUnit, _ name: String, _ x: Value) -> Value {
        let y = convolution(name, x, unit)
        guard let slopes = unit.slopes else { return y }
        return leaky("\(name).slopes", y, slopes: slopes)
    }

    private mutating func append(
        _ excitation: PresentationNetwork.Excitation, _ name: String, _ x: Value
    ) -> Value {
        let means = planeMeans("\(name).means", x, keepsAxes: true)
        let squeezed = relu(
            "\(name).relu", convolution("\(name).squeeze", means, excitation.squeeze))
        let weights = sigmoid(
            "\(name).sigmoid", convolution("\(name).excite", squeezed, excitation.excite))
        return product("\(name).product", x, weights, shape: x.shape)
    }

    private mutating func convolution(_ name: String, _ x: Value, _ unit: PresentationUnit)
        -> Value
    {
        let side = (x.shape[2] + 2 * unit.padding - unit.window) / unit.stride + 1
        let shape =
            unit.isGrouped
            ? [unit.outputs, 1, 1, unit.window, unit.window]
            : [unit.outputs, unit.inputs, unit.window, unit.window]
        let weights = constant("\(name).weights", unit.weights, shape: shape)
        let biases = constant("\(name).biases", unit.biases, shape: [1, unit.outputs, 1, 1])
        let attributes = [
            ("strides", list([unit.stride, unit.stride])), ("dilations", "1, 1"),
            ("pads_begin", list([unit.padding, unit.padding])),
            ("pads_end", list([unit.padding, unit.padding])), ("auto_pad", "explicit"),
        ]
        let filtered = add(
            unit.isGrouped ? "GroupConvolution" : "Convolution", name, [x, weights], attributes,
            shape: [x.shape[0], unit.outputs, side, side])
        return sum("\(name).sum", filtered, biases)
    }
}
