@testable import MienTools

/// A network of the descriptor's kind with a few hundred weights: 19×19 pixels, a plain block, then
/// one that halves 4×4 to 2×2.
enum SmallNetwork {
    static let architecture = DescriptorArchitecture(
        side: 19, stem: .init(3, to: 2, window: 3, stride: 2),
        groups: [(2, 1, false), (3, 1, true)], outputs: 4)

    static let parameters: DescriptorParameters = {
        var number = 0
        func values(_ count: Int) -> [Float] {
            (0..<count).map { _ in
                number += 1
                return Float(number % 23 - 11) / 8 + 1 / 16  // never zero: −0 would equal it
            }
        }
        let layers = [architecture.stem] + architecture.blocks.flatMap { [$0.first, $0.second] }
        let convolutions = layers.map {
            DescriptorParameters.Convolution(
                layer: $0, filters: values($0.filterCount), biases: values($0.outputs),
                scales: values($0.outputs),
                shifts: values($0.outputs))
        }
        return DescriptorParameters(
            means: [122.5, 117.25, 104], convolutions: convolutions, matrix: values(3 * 4))
    }()

    static let written: ArchiveWriter = {
        var writer = ArchiveWriter()
        writer.network(parameters, architecture)
        return writer
    }()
}
