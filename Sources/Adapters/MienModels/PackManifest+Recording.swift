public import Foundation

extension PackManifest {
    /// Returns this manifest as JSON, with the sizes and hashes of the given files. For maintainers
    /// of a pack.
    public func recording(_ contents: [(name: String, data: Data)]) throws -> Data {
        var files = files
        for (name, data) in contents {
            guard let i = files.firstIndex(where: { $0.name == name }) else { continue }
            files[i].bytes = data.count
            files[i].sha256 = ModelPack.sha256(data)
        }
        var copy = self
        copy.files = files
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(copy)
    }
}
