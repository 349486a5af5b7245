public import Foundation
internal import MienCore
public import MienFace

extension PackManifest {
    /// A file for a manifest.
    public struct NewFile: Sendable {
        public let name: String
        public let data: Data
        /// An SPDX expression.
        public let license: String
        /// The origin of the file, for people.
        public let source: String

        public init(name: String, data: Data, license: String, source: String) {
            (self.name, self.data, self.license, self.source) = (name, data, license, source)
        }
    }

    /// The SHA-256 of a file, as 64 lowercase hexadecimal digits.
    public static func hash(of data: Data) -> String { ModelPack.sha256(data) }

    /// Returns this manifest as JSON, with a presentation-attack network in place of its own, if it
    /// has one.
    ///
    /// The pack's ID stays: the network says nothing about who a person is, so templates and
    /// scores remain valid.
    ///
    /// - Parameters:
    ///   - geometry: its input, crop, and limits.
    ///   - network: the name of the file in `files` that contains the network.
    /// - Throws: ``PackError`` `.badManifest` when the result is not a valid manifest.
    public func adding(
        presentationAttack geometry: PresentationAttackGeometry, network: String, files: [NewFile]
    ) throws -> Data {
        let encoder = JSONEncoder()
        var old: Set<String> = []
        if let name = file(of: .presentationAttack) {
            old = [name, name.hasSuffix(".xml") ? String(name.dropLast(4)) + ".bin" : name]
        }
        let kept = self.files.filter { file in
            !old.contains(file.name) && !files.contains { $0.name == file.name }
        }
        let listed: [Any] = files.map { file -> [String: Any] in
            [
                "name": file.name, "bytes": file.data.count,
                "sha256": ModelPack.sha256(file.data), "licence": file.license,
                "source": file.source,
            ]
        }
        guard
            var manifest = try JSONSerialization.jsonObject(with: encoder.encode(self))
                as? [String: Any],
            var networks = manifest["networks"] as? [String: Any],
            var geometries = manifest["geometry"] as? [String: Any]
        else { throw PackError(.badManifest, "the manifest is not an object") }
        networks[FaceNetwork.presentationAttack.rawValue] = network
        geometries[FaceNetwork.presentationAttack.rawValue] = try JSONSerialization.jsonObject(
            with: encoder.encode(geometry))
        (manifest["networks"], manifest["geometry"]) = (networks, geometries)
        manifest["files"] =
            try kept.map { try JSONSerialization.jsonObject(with: encoder.encode($0)) } + listed
        let data = try JSONSerialization.data(
            withJSONObject: manifest,
            options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        if let fault = try PackManifest(parsing: data).faults.first {
            throw PackError(.badManifest, fault)
        }
        return data
    }
}
