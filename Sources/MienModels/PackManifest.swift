public import Foundation
public import MienCore
public import MienFace

/// `manifest.json`: what a pack is, what is in it, and what its networks take. Format: `docs/spec/model-pack.md`.
public struct PackManifest: Sendable, Hashable, Codable {
    public static let format = "mien-model-pack/1"
    public static let fileName = "manifest.json"

    public struct File: Sendable, Hashable, Codable {
        /// A plain name inside the pack's folder.
        public let name: String
        public internal(set) var bytes: Int
        /// 64 lower-case hexadecimal digits.
        public internal(set) var sha256: String
        /// An SPDX expression.
        public let licence: String
        /// Where it came from, for people.
        public let source: String
    }

    public let format: String
    public internal(set) var id: PackID
    public let title: String
    /// SPDX expression for the pack as a whole.
    public let licence: String
    public internal(set) var files: [File]
    /// Which file each network is in. The full-range detector may be missing.
    public let networks: [String: String]
    public let geometry: FaceGeometry
    /// Names of files: how scores are calibrated, and the synthetic cohort they are normalised against.
    public let calibration: String
    public let cohort: String

    /// The file a network is in.
    public func file(of network: FaceNetwork) -> String? { networks[network.rawValue] }

    /// What is wrong with a manifest that JSON could read; empty when nothing is.
    public var faults: [String] {
        var faults: [String] = []
        if format != Self.format { faults.append("its format is “\(format)”; this version reads “\(Self.format)”") }
        for file in files where !Self.isPlain(file.name) { faults.append("“\(file.name)” is not a plain file name") }
        if Set(files.map(\.name)).count != files.count { faults.append("a file is named twice") }
        let names = Set(files.map(\.name))
        let needed = FaceNetwork.allCases.filter { $0 != .detectorFullRange }
        for network in needed where file(of: network) == nil { faults.append("no file for the \(network.rawValue) network") }
        for name in networks.keys where FaceNetwork(rawValue: name) == nil { faults.append("“\(name)” is not a network this version knows") }
        // A graph in XML brings its constants in a file beside it.
        let constants = networks.values.filter { $0.hasSuffix(".xml") }.map { String($0.dropLast(4)) + ".bin" }
        for name in networks.values.sorted() + constants + [calibration, cohort] where !names.contains(name) {
            faults.append("“\(name)” is not among its files")
        }
        return faults + geometryFaults
    }

    private var geometryFaults: [String] {
        var faults: [String] = []
        let inputs = [geometry.detectorShortRange.input, geometry.mesh.input, geometry.iris.input, geometry.descriptor.input]
        for input in inputs + [geometry.detectorFullRange?.input].compactMap(\.self) {
            if !(8...1024).contains(input.width) || !(8...1024).contains(input.height) { faults.append("input sides are 8...1024 pixels") }
            if input.mean.count != 3 || !input.scale.isFinite { faults.append("an input has three means and a finite scale") }
        }
        for input in [geometry.mesh.input, geometry.iris.input] where input.width != input.height {
            faults.append("the inputs of the mesh and iris networks are square")
        }
        for grid in geometry.detectorShortRange.grids + (geometry.detectorFullRange?.grids ?? [])
        where !(1...1024).contains(grid.stride) || !(1...64).contains(grid.perCell) {
            faults.append("a grid has a stride of 1...1024 and 1...64 anchors in a cell")
        }
        if !(geometry.mesh.cropFactor > 0) || !(geometry.iris.cropFactor > 0) { faults.append("a crop factor is more than 0") }
        if !FaceDescriptor.dimensionRange.contains(geometry.descriptor.dimensions) { faults.append("a descriptor has 1...1024 dimensions") }
        let landmarks = geometry.descriptor.alignment
        if landmarks.count < 2 || landmarks.contains(where: { !(0..<FaceMesh.pointCount).contains($0.mesh) }) {
            faults.append("alignment takes two or more of the 468 mesh points")
        }
        return faults
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != Self.fileName && !name.hasPrefix(".") && name.utf8.count <= 128
            && name.utf8.allSatisfy { byte in byte > 32 && byte < 127 && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\") }
    }
}

extension PackManifest {
    /// The same pack under another name.
    public func renamed(_ id: PackID) -> PackManifest {
        var copy = self
        copy.id = id
        return copy
    }

    /// This manifest as JSON, with the sizes and hashes of the files given. For maintainers of a pack.
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
