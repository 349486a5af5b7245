import Foundation
import MienFace
import MienInference
import MienModels
import MienPackBuilder
import MienPixels

/// The part of a pack that tells faces from prints and screens: two MiniFASNet networks in one.
struct PresentationPart {
    /// The published files, by their hashes, in the order in which they are combined.
    static let sources = [
        (
            name: "2.7_80x80_MiniFASNetV2.pth",
            sha256: "a5eb02e1843f19b5386b953cc4c9f011c3f985d0ee2bb9819eea9a142099bec0"
        ),
        (
            name: "4_0_0_80x80_MiniFASNetV1SE.pth",
            sha256: "84ee1d37d96894d5e82de5a57df044ef80a58be2b218b5ed7cdfd875ec2f5990"
        ),
    ]
    static let network = "presentation-attack.xml", constants = "presentation-attack.bin"

    /// Limits and crop as measured in docs/measurements/presentation.md. The network's own output
    /// is the probability of a face; limits are those of an attack.
    static let geometry = PresentationAttackGeometry(
        input: InputGeometry(width: 80, height: 80, layout: .nchw, color: .bgr), crop: .outline,
        cropFactor: 2.7, minContext: 2, activation: .none, classes: 3, live: 1, limit: 0.5,
        strictLimit: 0.3)

    let files: [PackManifest.NewFile]

    /// Converts the published files in `folder`.
    init(folder: URL) throws {
        let networks = try Self.sources.map { source in
            let url = folder.appending(path: source.name)
            guard let data = try? Data(contentsOf: url) else {
                throw PackError(
                    .notFound,
                    "\(url.path) cannot be read; the folder must contain \(Self.sources.map(\.name).joined(separator: " and "))"
                )
            }
            guard PackManifest.hash(of: data) == source.sha256 else {
                throw PackError(
                    .damaged, "\(url.path) is not the published file (sha256 differs)")
            }
            return [UInt8](data)
        }
        let converted = try convertPresentationNetworks(networks)
        files = [(Self.network, converted.xml), (Self.constants, converted.bin)].map {
            PackManifest.NewFile(
                name: $0, data: Data($1), license: "Apache-2.0",
                source:
                    "converted from MiniFASNetV2 and MiniFASNetV1SE of minivision-ai/Silent-Face-Anti-Spoofing b6d5f04"
            )
        }
    }

    /// Runs the network of `pack` on the reference pictures.
    static func largestDifference(from pack: ModelPack) throws -> Double {
        let networks = OpenVINOFaceNetworks(
            CompiledPack(pack, runtime: try InferenceRuntime(), options: NetworkOptions()))
        return try ReferenceChip.allCases.map { chip in
            let image = try RGBImage(
                width: PresentationReference.side, height: PresentationReference.side,
                pixels: PresentationReference.pixels(of: chip))
            let answer = try networks.run(.presentationAttack) {
                geometry.input.write(image, into: &$0)
            }
            let expected = PresentationReference.scores(of: chip)
            guard let answer = answer.first, answer.count == expected.count else {
                return .infinity
            }
            return zip(answer, expected).map { abs(Double($0) - $1) }.max() ?? .infinity
        }.max() ?? .infinity
    }
}
