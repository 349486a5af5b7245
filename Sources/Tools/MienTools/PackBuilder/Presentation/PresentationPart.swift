public import Foundation
internal import MienCore
internal import MienFace
public import MienModels

/// The part of a pack that tells faces from prints and screens: two published MiniFASNet networks,
/// converted and combined into one.
public struct PresentationPart {
    /// The published files, in the order in which they are combined.
    public static let sources = [
        PublishedFiles.Wanted(
            name: "2.7_80x80_MiniFASNetV2.pth", bytes: 1_849_453,
            sha256: "a5eb02e1843f19b5386b953cc4c9f011c3f985d0ee2bb9819eea9a142099bec0"),
        PublishedFiles.Wanted(
            name: "4_0_0_80x80_MiniFASNetV1SE.pth", bytes: 1_856_130,
            sha256: "84ee1d37d96894d5e82de5a57df044ef80a58be2b218b5ed7cdfd875ec2f5990"),
    ]
    private static let network = "presentation-attack.xml", constants = "presentation-attack.bin"

    /// Limits and crop as measured in docs/measurements/presentation.md. The network's own output
    /// is the probability of a face; limits are those of an attack.
    static let geometry = PresentationAttackGeometry(
        input: InputGeometry(width: 80, height: 80, layout: .nchw, color: .bgr), crop: .outline,
        cropFactor: 2.7, minContext: 2, activation: .none, classes: 3, live: 1, limit: 0.5,
        strictLimit: 0.3)

    private let files: [PackManifest.NewFile]

    /// Finds the published files by their hashes, and converts them.
    ///
    /// - Returns: `nil` if a file is in none of the folders.
    /// - Throws: ``PackError`` `.unavailable` if a file was changed or Python is missing, or
    ///   ``PresentationNetworkError``.
    public init?(in folders: [URL]) throws {
        let found = PublishedFiles(in: folders).locate(Self.sources)
        var networks: [PresentationNetwork] = []
        for source in Self.sources {
            guard let url = found[source.name] else { return nil }
            networks.append(try PresentationNetwork(TorchFile(url, sha256: source.sha256)))
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

    /// Adds the part to the pack in `folder`, in place of the pack's own if it has one, and compares
    /// its output with the reference.
    ///
    /// - Returns: the largest difference from the reference in any number.
    /// - Throws: ``PackError`` `.damaged` if it exceeds ``PresentationReference/tolerance``.
    @discardableResult
    public func add(to folder: URL) throws -> Double {
        let old = try ModelPack(folder: folder)
        let manifest = try old.manifest.adding(
            presentationAttack: Self.geometry, network: Self.network, files: files)
        for file in files { try file.data.write(to: folder.appending(path: file.name)) }
        try manifest.write(to: folder.appending(path: PackManifest.fileName))
        let kept = Set(try PackManifest(parsing: manifest).files.map(\.name))
        for file in old.manifest.files where !kept.contains(file.name) {
            try FileManager.default.removeItem(at: folder.appending(path: file.name))
        }
        let largest = try Self.largestDifference(from: ModelPack(folder: folder))
        guard largest <= PresentationReference.tolerance else {
            throw PackError(
                .damaged,
                "the converted presentation networks differ from their reference by \(largest), more than \(PresentationReference.tolerance)"
            )
        }
        return largest
    }

    /// Runs the network of `pack` on the reference pictures.
    private static func largestDifference(from pack: ModelPack) throws -> Double {
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
