/// A writer of networks in OpenVINO's intermediate representation, version 11: a graph in XML and
/// its constants in one file.
///
/// Operations are added in the order of computation. The same calls always give the same bytes:
/// the caller chooses the names, numbers are little-endian, and nothing depends on time or machine.
/// Source: docs.openvino.ai, "Intermediate Representation and Operation Sets"; operation set 1.
package struct OpenVINOIR {
    /// The output of an operation, which later operations use.
    package struct Value {
        fileprivate let layer, port: Int
        /// Sizes from the outermost to the innermost axis; −1 is a size known only at run time.
        package let shape: [Int]
        fileprivate let type: ElementType
    }

    enum ElementType: String { case f32, i64 }

    struct Layer {
        let name, type: String
        let attributes: [(name: String, value: String)]
        let inputs: [Value]
        let output: Value?
        /// The name by which programs find the output.
        let outputName: String?
    }

    private(set) var layers: [Layer] = []
    /// The constants, least significant byte first, each at a multiple of 64 bytes, so that a
    /// mapped file is aligned for every vector unit.
    package private(set) var bin: [UInt8] = []
    private static let alignment = 64

    package init() {}

    /// Adds an operation with one output of 32-bit floats.
    mutating func add(
        _ type: String, _ name: String, _ inputs: [Value],
        _ attributes: [(name: String, value: String)] = [], shape: [Int],
        outputName: String? = nil
    ) -> Value {
        append(
            name: name, type: type, attributes: attributes, inputs: inputs, shape: shape,
            elements: .f32, outputName: outputName)
    }

    /// Ends the network with the output `value`.
    package mutating func result(_ value: Value, name: String) {
        layers.append(
            Layer(
                name: name, type: "Result", attributes: [], inputs: [value], output: nil,
                outputName: nil))
    }

    package mutating func constant(_ name: String, _ values: [Float], shape: [Int]) -> Value {
        constant(name, of: values, shape: shape, elements: .f32)
    }

    package mutating func constant(_ name: String, _ values: [Int64], shape: [Int]) -> Value {
        constant(name, of: values, shape: shape, elements: .i64)
    }

    private mutating func constant(
        _ name: String, of values: [some BitwiseCopyable], shape: [Int], elements: ElementType
    ) -> Value {
        precondition(
            shape.reduce(1, *) == values.count, "\(name): \(values.count) values for shape \(shape)"
        )
        bin.append(
            contentsOf: repeatElement(
                0, count: (Self.alignment - bin.count % Self.alignment) % Self.alignment))
        let start = bin.count
        unsafe values.withUnsafeBytes { unsafe bin.append(contentsOf: $0) }
        let attributes = [
            ("element_type", elements.rawValue), ("shape", list(shape)), ("offset", "\(start)"),
            ("size", "\(bin.count - start)"),
        ]
        return append(
            name: name, type: "Const", attributes: attributes, inputs: [], shape: shape,
            elements: elements, outputName: nil)
    }

    private mutating func append(
        name: String, type: String, attributes: [(name: String, value: String)], inputs: [Value],
        shape: [Int], elements: ElementType,
        outputName: String?
    ) -> Value {
        let value = Value(layer: layers.count, port: inputs.count, shape: shape, type: elements)
        layers.append(
            Layer(
                name: name, type: type, attributes: attributes, inputs: inputs, output: value,
                outputName: outputName))
        return value
    }

    func list(_ sizes: [Int]) -> String {
        sizes.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ", ")
    }
}

extension OpenVINOIR {
    /// The graph, for a file next to ``bin`` with the same base name.
    package func xml(network: String) -> [UInt8] {
        var text = "<?xml version=\"1.0\"?>\n<net name=\"\(network)\" version=\"11\">\n<layers>\n"
        for (id, layer) in layers.enumerated() { text += xml(layer, id: id) }
        text += "</layers>\n<edges>\n"
        for (id, layer) in layers.enumerated() {
            for (port, input) in layer.inputs.enumerated() {
                text +=
                    "<edge from-layer=\"\(input.layer)\" from-port=\"\(input.port)\" to-layer=\"\(id)\" to-port=\"\(port)\"/>\n"
            }
        }
        return Array((text + "</edges>\n<rt_info/>\n</net>\n").utf8)
    }

    private func xml(_ layer: Layer, id: Int) -> String {
        var text =
            "<layer id=\"\(id)\" name=\"\(layer.name)\" type=\"\(layer.type)\" version=\"opset1\">\n"
        if !layer.attributes.isEmpty {
            text +=
                "<data "
                + layer.attributes.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: " ")
                + "/>\n"
        }
        if !layer.inputs.isEmpty {
            text +=
                "<input>\n" + layer.inputs.enumerated().map { xml($1, port: $0) }.joined()
                + "</input>\n"
        }
        if let output = layer.output {
            text +=
                "<output>\n" + xml(output, port: output.port, name: layer.outputName)
                + "</output>\n"
        }
        return text + "</layer>\n"
    }

    private func xml(_ value: Value, port: Int, name: String? = nil) -> String {
        let precision = value.type == .f32 ? "FP32" : "I64",
            names = name.map { " names=\"\($0)\"" } ?? ""
        return "<port id=\"\(port)\" precision=\"\(precision)\"\(names)>"
            + value.shape.map { "<dim>\($0)</dim>" }.joined() + "</port>\n"
    }
}
