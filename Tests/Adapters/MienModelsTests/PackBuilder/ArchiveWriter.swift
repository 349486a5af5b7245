@testable import MienTools

/// A writer of dlib's serialization format, the counterpart of ``DlibArchive``, for archives small
/// enough to test every byte.
struct ArchiveWriter {
    private(set) var bytes: [UInt8] = []
    /// The bytes that only training uses.
    private(set) var training: Set<Int> = []

    mutating func integer(_ value: Int) {
        var digits: [UInt8] = [], rest = value.magnitude
        repeat {
            digits.append(UInt8(rest & 0xFF))
            rest >>= 8
        } while rest != 0
        bytes += [UInt8(digits.count) | (value < 0 ? 0x80 : 0)] + digits
    }

    mutating func integers(_ values: Int...) { for value in values { integer(value) } }

    mutating func text(_ text: String) {
        integer(text.utf8.count)
        bytes += text.utf8
    }

    mutating func flag(_ flag: Bool) { bytes.append(UInt8(ascii: flag ? "1" : "0")) }

    mutating func real(mantissa: Int, exponent: Int) { integers(mantissa, exponent) }

    mutating func tensor(_ shape: [Int], _ values: [Float]) {
        integer(2)
        for size in shape { integer(size) }
        for value in values {
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(value.bitPattern >> shift & 0xFF)) }
        }
    }

    mutating func onlyForTraining(_ write: (inout Self) -> Void) {
        let start = bytes.count
        write(&self)
        training.formUnion(start..<bytes.count)
    }

    mutating func view(_ shape: Int...) {
        integer(1)
        for size in shape { integer(size) }
    }
}

extension ArchiveWriter {
    /// Appends a whole network of `architecture` in dlib's format.
    mutating func network(
        _ parameters: DescriptorParameters, _ architecture: DescriptorArchitecture
    ) {
        integer(1)
        text("loss_metric_2")
        onlyForTraining { for _ in 0..<2 { $0.real(mantissa: 5, exponent: -7) } }
        for layer in architecture.layers.dropFirst().reversed() { integer(layer.version) }
        integer(3)
        text("input_rgb_image_sized")
        for mean in parameters.means { real(mantissa: Int(mean * 256), exponent: -8) }
        integers(architecture.side, architecture.side)
        var convolutions = parameters.convolutions[...]
        for (index, layer) in architecture.layers.enumerated() {
            guard self.layer(layer, parameters, &convolutions) else { continue }
            onlyForTraining {
                for _ in 0..<3 { $0.flag(true) }
                for _ in 0..<3 { $0.tensor([0, 0, 0, 0], []) }
            }
            if index == 0 { integer(1) }
        }
    }

    private mutating func layer(
        _ layer: DescriptorLayer, _ parameters: DescriptorParameters,
        _ rest: inout ArraySlice<DescriptorParameters.Convolution>
    ) -> Bool {
        switch layer {
        case .convolution(let c):
            text("con_4")
            tensor([c.filterCount + c.outputs, 1, 1, 1], rest.first!.filters + rest.first!.biases)
            integers(c.outputs, c.window, c.window, c.stride, c.stride, c.padding, c.padding)
            view(c.outputs, c.inputs, c.window, c.window)
            view(1, c.outputs, 1, 1)
            rates()
        case .affine(let channels):
            let convolution = rest.removeFirst()
            text("affine_")
            tensor([2 * channels, 1, 1, 1], convolution.scales + convolution.shifts)
            view(1, channels, 1, 1)
            view(1, channels, 1, 1)
            integer(0)
        case .matrix(let inputs, let outputs):
            text("fc_2")
            integers(outputs, inputs)
            tensor([inputs, outputs, 1, 1], parameters.matrix)
            view(inputs, outputs, 1, 1)
            view(0, 0, 0, 0)
            integer(1)
            rates()
        case .relu: text("relu_")
        case .add: text("add_prev_")
        case .maxPool(let window, let stride): pool("max_pool_2", window, stride)
        case .averagePool(let window, let stride): pool("avg_pool_2", window, stride)
        case .averageEverything: pool("avg_pool_2", 0, 1)
        case .tag, .skip: return false
        }
        return true
    }

    private mutating func pool(_ name: String, _ window: Int, _ stride: Int) {
        text(name)
        integers(window, window, stride, stride, 0, 0)
    }

    private mutating func rates() {
        onlyForTraining { for _ in 0..<4 { $0.real(mantissa: 1, exponent: 0) } }
    }
}
