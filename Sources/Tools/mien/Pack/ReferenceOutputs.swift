import Foundation
import MienFace
import MienModels
import MienTools

/// The outputs of the descriptor network for pictures that a formula draws, as computed by the
/// software that the network was published for.
struct ReferenceOutputs: Decodable {
    static let fileName = "reference.json"
    /// The maximum difference in any number of an output.
    static let tolerance = 1e-4

    struct Case: Decodable {
        let name: String
        let descriptor: [Double]
    }
    let cases: [Case]

    init(file: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }

    /// Runs the descriptor network of `pack` on every case.
    func largestDifference(from pack: ModelPack) throws -> Double {
        let compiled = CompiledPack(
            pack, runtime: try InferenceRuntime(), options: NetworkOptions())
        let networks = OpenVINOFaceNetworks(compiled)
        let geometry = pack.manifest.geometry.descriptor.input
        return try cases.map { reference in
            guard let chip = ReferenceChip(rawValue: reference.name) else {
                throw CocoaError(
                    .coderValueNotFound,
                    userInfo: [
                        NSLocalizedDescriptionKey:
                            "unknown reference picture “\(reference.name)”"
                    ])
            }
            let image = try RGBImage(
                width: ReferenceChip.side, height: ReferenceChip.side, pixels: chip.pixels)
            let answer = try networks.run(.descriptor) { geometry.write(image, into: &$0) }[0]
            return zip(answer, reference.descriptor).map { abs(Double($0) - $1) }.max() ?? .infinity
        }.max() ?? .infinity
    }
}
