/// The shape of a descriptor network: a residual network over a square RGB image.
///
/// Stem (convolution, affine, ReLU, 3×3 max-pool of stride 2), residual blocks, mean over the
/// plane, matrix. Source: dlib 19.24, `examples/dnn_face_recognition_ex.cpp`, `anet_type`.
package struct DescriptorArchitecture: Equatable, Sendable {
    /// Two 3×3 convolutions with affine layers, added to the block's input. A block that halves
    /// the plane has stride 2 in its first convolution, and a 2×2 average pool of stride 2 in its
    /// shortcut.
    package struct Block: Equatable, Sendable {
        package let inputs, channels: Int
        package let halves: Bool
    }

    /// Side of the input image in pixels.
    package let side: Int
    package let stem: DescriptorLayer.Convolution
    package let blocks: [Block]
    package let outputs: Int

    /// - Parameter groups: the channels, the number of blocks, and whether the first of them
    ///   halves the plane; from input to output.
    package init(
        side: Int, stem: DescriptorLayer.Convolution,
        groups: [(channels: Int, blocks: Int, halves: Bool)], outputs: Int
    ) {
        (self.side, self.stem, self.outputs) = (side, stem, outputs)
        var inputs = stem.outputs, blocks: [Block] = []
        for group in groups {
            for i in 0..<group.blocks {
                blocks.append(
                    Block(inputs: inputs, channels: group.channels, halves: group.halves && i == 0))
                inputs = group.channels
            }
        }
        self.blocks = blocks
    }

    /// The network of `dlib_face_recognition_resnet_model_v1.dat`: 150×150 pixels to 128 numbers,
    /// 29 convolutions.
    package static let standard = DescriptorArchitecture(
        side: 150,
        stem: .init(3, to: 32, window: 7, stride: 2),
        groups: [(32, 3, false), (64, 4, true), (128, 3, true), (256, 3, true), (256, 1, true)],
        outputs: 128)

    package static let poolWindow = 3, poolStride = 2

    /// All layers, from input to output.
    package var layers: [DescriptorLayer] {
        let first: [DescriptorLayer] = [
            .convolution(stem), .affine(channels: stem.outputs), .relu,
            .maxPool(window: Self.poolWindow, stride: Self.poolStride),
        ]
        let last: [DescriptorLayer] = [
            .averageEverything,
            .matrix(inputs: blocks.last?.channels ?? stem.outputs, outputs: outputs),
        ]
        return first + blocks.flatMap(\.layers) + last
    }
}

extension DescriptorArchitecture.Block {
    package var first: DescriptorLayer.Convolution {
        .init(inputs, to: channels, window: 3, stride: halves ? 2 : 1)
    }
    package var second: DescriptorLayer.Convolution {
        .init(channels, to: channels, window: 3, stride: 1)
    }

    var layers: [DescriptorLayer] {
        let residual: [DescriptorLayer] = [
            .tag, .convolution(first), .affine(channels: channels), .relu, .convolution(second),
            .affine(channels: channels),
        ]
        return residual + (halves ? [.tag, .skip, .averagePool(window: 2, stride: 2)] : []) + [
            .add, .relu,
        ]
    }
}
