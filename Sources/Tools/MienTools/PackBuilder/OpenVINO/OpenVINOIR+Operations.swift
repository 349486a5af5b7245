/// The operations that the converted networks need. Planes are square. Shapes are
/// `[batch, channels, rows, columns]` unless stated otherwise.
extension OpenVINOIR {
    /// Adds an input of 32-bit floats.
    package mutating func parameter(_ name: String, shape: [Int]) -> Value {
        add(
            "Parameter", name, [], [("shape", list(shape)), ("element_type", "f32")], shape: shape,
            outputName: name)
    }

    /// Converts `[batch, rows, columns, channels]` to `[batch, channels, rows, columns]`. Costs
    /// nothing on a CPU that stores channels last.
    package mutating func channelsFirst(_ name: String, _ x: Value) -> Value {
        let order = constant("\(name).order", [0, 3, 1, 2] as [Int64], shape: [4])
        return add(
            "Transpose", name, [x, order], shape: [x.shape[0], x.shape[3], x.shape[1], x.shape[2]])
    }

    package mutating func convolution(_ name: String, _ x: Value, _ folded: FoldedConvolution)
        -> Value
    {
        let layer = folded.layer,
            side = (x.shape[2] + 2 * layer.padding - layer.window) / layer.stride + 1
        let filters = constant(
            "\(name).filters", folded.filters,
            shape: [layer.outputs, layer.inputs, layer.window, layer.window])
        let biases = constant("\(name).biases", folded.biases, shape: [1, layer.outputs, 1, 1])
        let attributes = [
            ("strides", list([layer.stride, layer.stride])), ("dilations", "1, 1"),
            ("pads_begin", list([layer.padding, layer.padding])),
            ("pads_end", list([layer.padding, layer.padding])),
            ("auto_pad", "explicit"),
        ]
        let shape = [x.shape[0], layer.outputs, side, side]
        return sum(
            "\(name).sum", add("Convolution", name, [x, filters], attributes, shape: shape), biases)
    }

    /// Adds two values. Along each axis, the second has the size of the first or size 1.
    package mutating func sum(_ name: String, _ a: Value, _ b: Value) -> Value {
        add("Add", name, [a, b], [("auto_broadcast", "numpy")], shape: a.shape)
    }

    package mutating func relu(_ name: String, _ x: Value) -> Value {
        add("ReLU", name, [x], shape: x.shape)
    }

    package mutating func maxPool(_ name: String, _ x: Value, window: Int, stride: Int) -> Value {
        pool("MaxPool", name, x, window: window, stride: stride)
    }

    package mutating func averagePool(_ name: String, _ x: Value, window: Int, stride: Int) -> Value
    {
        pool("AvgPool", name, x, window: window, stride: stride, [("exclude-pad", "true")])
    }

    private mutating func pool(
        _ type: String, _ name: String, _ x: Value, window: Int, stride: Int,
        _ more: [(name: String, value: String)] = []
    ) -> Value {
        let side = (x.shape[2] - window) / stride + 1
        let attributes = [
            ("kernel", list([window, window])), ("strides", list([stride, stride])),
            ("pads_begin", "0, 0"), ("pads_end", "0, 0"),
            ("rounding_type", "floor"), ("auto_pad", "explicit"),
        ]
        return add(type, name, [x], more + attributes, shape: [x.shape[0], x.shape[1], side, side])
    }

    /// Pads with zeros at the end of each axis up to `shape`. Returns `x` itself if it has that
    /// shape.
    package mutating func padded(_ name: String, _ x: Value, to shape: [Int]) -> Value {
        let missing = zip(shape, x.shape).map { Int64($0 - $1) }
        guard missing.contains(where: { $0 != 0 }) else { return x }
        let begin = constant("\(name).begin", [0, 0, 0, 0] as [Int64], shape: [4])
        let end = constant("\(name).end", missing, shape: [4])
        let zero = constant("\(name).value", [0] as [Float], shape: [])
        return add("Pad", name, [x, begin, end, zero], [("pad_mode", "constant")], shape: shape)
    }

    /// Computes the mean of each plane: `[batch, channels]`, or `[batch, channels, 1, 1]` if it
    /// keeps the axes.
    package mutating func planeMeans(_ name: String, _ x: Value, keepsAxes: Bool = false) -> Value {
        let axes = constant("\(name).axes", [2, 3] as [Int64], shape: [2])
        return add(
            "ReduceMean", name, [x, axes], [("keep_dims", "\(keepsAxes)")],
            shape: x.shape[..<2] + (keepsAxes ? [1, 1] : []))
    }

    /// Multiplies negative values by their channel's slope.
    package mutating func leaky(_ name: String, _ x: Value, slopes: [Float]) -> Value {
        let slopes = constant("\(name).values", slopes, shape: [slopes.count])
        return add("PReLU", name, [x, slopes], shape: x.shape)
    }

    package mutating func sigmoid(_ name: String, _ x: Value) -> Value {
        add("Sigmoid", name, [x], shape: x.shape)
    }

    /// Converts `[batch, classes]` to probabilities.
    package mutating func softmax(_ name: String, _ x: Value) -> Value {
        add("SoftMax", name, [x], [("axis", "1")], shape: x.shape)
    }

    /// Multiplies two values. Along each axis, the second has the size of the first or size 1.
    package mutating func product(
        _ name: String, _ a: Value, _ b: Value, shape: [Int], outputName: String? = nil
    ) -> Value {
        add(
            "Multiply", name, [a, b], [("auto_broadcast", "numpy")], shape: shape,
            outputName: outputName)
    }

    /// Multiplies `[batch, inputs]` by `[inputs, outputs]`.
    ///
    /// - Parameter isNamed: Whether programs find the result under `name`.
    package mutating func product(
        _ name: String, _ x: Value, matrix: [Float], outputs: Int, isNamed: Bool = true
    ) -> Value {
        let weights = constant("\(name).weights", matrix, shape: [x.shape[1], outputs])
        let attributes = [("transpose_a", "false"), ("transpose_b", "false")]
        return add(
            "MatMul", "\(name).product", [x, weights], attributes, shape: [x.shape[0], outputs],
            outputName: isNamed ? name : nil)
    }
}
