/// A MiniFASNet network: tells a face from a print or a screen.
///
/// A chain of units and of blocks, each of which expands its channels, filters each of them alone,
/// and contracts them again. Widths follow from the file; strides and order are those of Minivision's
/// Silent-Face-Anti-Spoofing, commit b6d5f04, `src/model_lib/MiniFASNet.py`.
package struct PresentationNetwork: Equatable, Sendable {
    /// Squeeze-and-excitation: weighs the channels by what their means say.
    package struct Excitation: Equatable, Sendable {
        package let squeeze, excite: PresentationUnit
    }

    package enum Layer: Equatable, Sendable {
        case unit(PresentationUnit)
        /// Units in sequence, then channel weights, then the sum with the block's input.
        case block([PresentationUnit], Excitation?, addsInput: Bool)
    }

    /// Side of the input in pixels, and the number of classes.
    package static let side = 80, classes = 3

    package let layers: [Layer]
    /// `[features, classes]`, the last one fastest, and one bias per class.
    package let matrix: [Float], biases: [Float]
    /// The number of values that reach the matrix.
    package let features: Int

    /// - Throws: ``PresentationNetworkError`` when the tensors are not exactly those of such a
    ///   network.
    package init(_ file: TorchFile) throws(PresentationNetworkError) {
        var shelf = TensorShelf(file), layers: [Layer] = [], channels = 3
        func add(_ unit: PresentationUnit) {
            layers.append(.unit(unit))
            channels = unit.outputs
        }
        func unit(_ name: String, stride: Int = 1, isPadded: Bool = true)
            throws(PresentationNetworkError)
        {
            add(
                try shelf.unit(
                    "\(name).conv", "\(name).bn", slopes: "\(name).prelu", inputs: channels,
                    stride: stride, isPadded: isPadded))
        }
        func block(_ name: String, stride: Int = 1, addsInput: Bool = true)
            throws(PresentationNetworkError)
        {
            let inputs = channels
            var units: [PresentationUnit] = []
            for (part, step) in [("conv", 1), ("conv_dw", stride), ("project", 1)] {
                let name = "\(name).\(part)"
                units.append(
                    try shelf.unit(
                        "\(name).conv", "\(name).bn", slopes: "\(name).prelu", inputs: channels,
                        stride: step))
                channels = units[units.count - 1].outputs
            }
            let excitation = try shelf.excitation("\(name).se_module", channels: channels)
            guard !addsInput || channels == inputs else {
                throw .shape(
                    "\(name).project.conv.weight", expected: [inputs, -1, 1, 1],
                    found: [channels, -1, 1, 1])
            }
            layers.append(.block(units, excitation, addsInput: addsInput))
        }
        func blocks(_ name: String, count: Int) throws(PresentationNetworkError) {
            for index in 0..<count { try block("\(name).model.\(index)") }
        }
        try unit("conv1", stride: 2)
        try unit("conv2_dw")
        try block("conv_23", stride: 2, addsInput: false)
        try blocks("conv_3", count: 4)
        try block("conv_34", stride: 2, addsInput: false)
        try blocks("conv_4", count: 6)
        try block("conv_45", stride: 2, addsInput: false)
        try blocks("conv_5", count: 2)
        try unit("conv_6_sep")
        try unit("conv_6_dw", isPadded: false)
        features = channels
        (matrix, biases) = try shelf.classifier(features: channels, classes: Self.classes)
        try shelf.finish()
        self.layers = layers
        try checkPlanes()
    }

    /// The plane must shrink to exactly one pixel, because the matrix takes one value per channel.
    private func checkPlanes() throws(PresentationNetworkError) {
        var side = Self.side
        for layer in layers {
            let before = side
            for unit in layer.units {
                guard unit.window <= side + 2 * unit.padding else {
                    throw .shape("the last plane", expected: [1], found: [0])
                }
                side = (side + 2 * unit.padding - unit.window) / unit.stride + 1
            }
            if case .block(_, _, addsInput: true) = layer, side != before {
                throw .shape("a block's plane", expected: [before], found: [side])
            }
        }
        guard side == 1 else { throw .shape("the last plane", expected: [1], found: [side]) }
    }
}

extension PresentationNetwork.Layer {
    package var units: [PresentationUnit] {
        switch self {
        case .unit(let unit): [unit]
        case .block(let units, _, _): units
        }
    }
}

extension TensorShelf {
    /// - Returns: `nil` if the file has no channel weights of this name.
    fileprivate mutating func excitation(_ name: String, channels: Int)
        throws(PresentationNetworkError) -> PresentationNetwork.Excitation?
    {
        guard has("\(name).fc1.weight") else { return nil }
        let squeeze = try unit(
            "\(name).fc1", "\(name).bn1", slopes: nil, inputs: channels, stride: 1)
        let excite = try unit(
            "\(name).fc2", "\(name).bn2", slopes: nil, inputs: squeeze.outputs, stride: 1)
        guard squeeze.window == 1, excite.window == 1, excite.outputs == channels else {
            throw .shape(
                "\(name).fc2.weight", expected: [channels, squeeze.outputs, 1, 1],
                found: [excite.outputs, squeeze.outputs, excite.window, excite.window])
        }
        return PresentationNetwork.Excitation(squeeze: squeeze, excite: excite)
    }

    /// Folds the last three layers, none of which is followed by a slope, into one: features →
    /// hidden, batch normalization, hidden → classes.
    fileprivate mutating func classifier(features: Int, classes: Int)
        throws(PresentationNetworkError) -> (matrix: [Float], biases: [Float])
    {
        let linear = try take("linear.weight")
        guard linear.shape.count == 2, linear.shape[1] == features else {
            throw .shape("linear.weight", expected: [-1, features], found: linear.shape)
        }
        let hidden = linear.shape[0]
        let (scales, shifts) = try normalization("bn", count: hidden)
        let last = try take("prob.weight", shape: [classes, hidden])
        var matrix = [Float](repeating: 0, count: features * classes), biases: [Float] = []
        for output in 0..<classes {
            let row = last[output * hidden..<(output + 1) * hidden].map { Double($0) }
            biases.append(Float(zip(row, shifts).reduce(0) { $0 + $1.0 * $1.1 }))
            let weighted = zip(row, scales).map { $0 * $1 }
            for feature in 0..<features {
                var sum = 0.0
                for index in 0..<hidden {
                    sum += weighted[index] * Double(linear.values[index * features + feature])
                }
                matrix[feature * classes + output] = Float(sum)
            }
        }
        return (matrix, biases)
    }
}
