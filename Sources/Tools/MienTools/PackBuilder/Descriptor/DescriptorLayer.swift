/// One layer of the descriptor network, with the geometry the archive must state for it.
package enum DescriptorLayer: Equatable, Sendable {
    package struct Convolution: Equatable, Sendable {
        /// Channels in and out.
        package let inputs, outputs: Int
        /// Side of the square window, stride, and zeros added on each side, in pixels.
        package let window, stride, padding: Int

        /// dlib pads only convolutions of stride 1, so that the plane keeps its size.
        package init(_ inputs: Int, to outputs: Int, window: Int, stride: Int) {
            (self.inputs, self.outputs, self.window, self.stride) = (
                inputs, outputs, window, stride
            )
            padding = stride == 1 ? window / 2 : 0
        }

        package var filterCount: Int { outputs * inputs * window * window }
    }

    case convolution(Convolution)
    case affine(channels: Int)
    case relu
    case maxPool(window: Int, stride: Int)
    case averagePool(window: Int, stride: Int)
    /// The mean of each channel's whole plane.
    case averageEverything
    /// Adds the tagged output. The smaller of the two is padded with zeros at the end of each axis.
    case add
    /// Names an output for a later `skip` or `add`. Computes nothing.
    case tag
    case skip
    case matrix(inputs: Int, outputs: Int)

    /// The version that the archive gives this layer, before any layer's fields.
    package var version: Int { self == .tag || self == .skip ? 1 : 2 }
}
