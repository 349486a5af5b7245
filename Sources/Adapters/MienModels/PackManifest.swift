public import Foundation
public import MienCore
public import MienFace

/// `manifest.json`: what a pack is, what is in it, and what its networks take. Format:
/// `docs/spec/model-pack.md`.
public struct PackManifest: Sendable, Hashable, Codable {
    public static let format = "mien-model-pack/1"
    public static let fileName = "manifest.json"
    /// The largest manifest that is read, in bytes.
    public static let sizeLimit = 1_000_000
    /// The most that the files of a pack may have together, in bytes.
    public static let filesLimit = 2_000_000_000
    /// The most anchors a detector may have.
    public static let anchorLimit = 100_000

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
    /// Which file each network is in. Those that are optional may be missing.
    public let networks: [String: String]
    public let geometry: FaceGeometry
    /// Names of files: how scores are calibrated, and the synthetic cohort they are normalised
    /// against.
    public let calibration: String
    public let cohort: String

    /// Parses a manifest: JSON of at most ``sizeLimit`` bytes, read strictly (`JSONText`).
    ///
    /// - Throws: `JSONTextError`, `DecodingError`.
    public init(parsing data: Data) throws {
        let value = try JSONText.parse(
            [UInt8](data), limits: .init(maxBytes: Self.sizeLimit, maxDepth: 16))
        self = try value.decoded(as: PackManifest.self)
    }

    /// The file a network is in.
    public func file(of network: FaceNetwork) -> String? { networks[network.rawValue] }

    /// What is wrong with a manifest that JSON could read; empty when nothing is. Can be shown to a
    /// person whatever the manifest holds.
    public var faults: [String] { (fileFaults + textFaults + geometryFaults).map(\.printable) }

    private var fileFaults: [String] {
        var faults: [String] = []
        if format != Self.format {
            faults.append("its format is “\(format)”; this version reads “\(Self.format)”")
        }
        for file in files where !Self.isPlain(file.name) {
            faults.append("“\(file.name)” is not a plain file name")
        }
        if Set(files.map(\.name)).count != files.count { faults.append("a file is named twice") }
        if files.contains(where: { !(0...Self.filesLimit).contains($0.bytes) })
            || files.reduce(0, { $0 &+ $1.bytes }) > Self.filesLimit
        {
            faults.append("its files have 0 to 2 GB together")
        }
        let names = Set(files.map(\.name))
        for network in FaceNetwork.allCases where !network.isOptional && file(of: network) == nil {
            faults.append("no file for the \(network.rawValue) network")
        }
        for name in networks.keys.sorted() where FaceNetwork(rawValue: name) == nil {
            faults.append("“\(name)” is not a network this version knows")
        }
        for network in FaceNetwork.allCases
        where network.isOptional
            && (geometry.input(of: network) == nil) != (file(of: network) == nil)
        {
            faults.append("\(network.rawValue) is in networks and in geometry, or in neither")
        }
        // A graph in XML brings its constants in a file beside it.
        let constants = networks.values.filter { $0.hasSuffix(".xml") }.map {
            String($0.dropLast(4)) + ".bin"
        }
        for name in networks.values.sorted() + constants + [calibration, cohort]
        where !names.contains(name) {
            faults.append("“\(name)” is not among its files")
        }
        return faults
    }

    /// What people get to read must not steer their terminals.
    private var textFaults: [String] {
        let texts =
            [("title", title), ("licence", licence)]
            + files.flatMap {
                [("licence of \($0.name)", $0.licence), ("source of \($0.name)", $0.source)]
            }
        return texts.filter { !$0.1.isPrintable }.map { "the \($0.0) has control characters" }
    }

    private var geometryFaults: [String] {
        var faults: [String] = []
        let detectors =
            [geometry.detectorShortRange] + [geometry.detectorFullRange].compactMap(\.self)
        for input in FaceNetwork.allCases.compactMap({ geometry.input(of: $0) }) {
            if !(8...1024).contains(input.width) || !(8...1024).contains(input.height) {
                faults.append("input sides are 8...1024 pixels")
            }
            if input.mean.count != 3 || !input.scale.isFinite {
                faults.append("an input has three means and a finite scale")
            }
        }
        for input in [geometry.mesh.input, geometry.iris.input] where input.width != input.height {
            faults.append("the inputs of the mesh and iris networks are square")
        }
        let grids = detectors.flatMap(\.grids)
        for grid in grids
        where !(1...1024).contains(grid.stride) || !(1...64).contains(grid.perCell) {
            faults.append("a grid has a stride of 1...1024 and 1...64 anchors in a cell")
        }
        // Counted only where no number can be too large to count with.
        if faults.isEmpty, detectors.contains(where: { $0.anchorCount > Self.anchorLimit }) {
            faults.append("a detector has at most 100,000 anchors")
        }
        if !(0.01...100).contains(geometry.mesh.cropFactor)
            || !(0.01...100).contains(geometry.iris.cropFactor)
        {
            faults.append("a crop factor is 0.01...100")
        }
        if !FaceDescriptor.dimensionRange.contains(geometry.descriptor.dimensions) {
            faults.append("a descriptor has 1...1024 dimensions")
        }
        let crops = geometry.descriptor.crops
        if !(1...16).contains(crops.count)
            || !crops.allSatisfy({
                (0.25...4).contains($0.zoom) && abs($0.dx) <= 1 && abs($0.dy) <= 1
            })
        {
            faults.append(
                "a descriptor comes from 1 to 16 crops, each enlarged by 0.25...4 and shifted by at most its side"
            )
        }
        return faults + Self.faults(of: geometry.descriptor.alignment)
            + (geometry.presentationAttack?.faults ?? [])
    }

    private static func faults(of landmarks: [DescriptorGeometry.Landmark]) -> [String] {
        guard landmarks.count >= 2,
            landmarks.allSatisfy({ (0..<FaceMesh.pointCount).contains($0.mesh) })
        else {
            return ["alignment takes two or more of the 468 mesh points"]
        }
        guard landmarks.count <= FaceMesh.pointCount,
            Set(landmarks.map(\.mesh)).count == landmarks.count
        else {
            return ["alignment names no mesh point twice"]
        }
        guard landmarks.allSatisfy({ abs($0.x) <= 4096 && abs($0.y) <= 4096 }) else {
            return ["alignment places points within 4096 pixels"]
        }
        // All in one place, they would shrink the face to a point.
        let first = landmarks[0]
        guard landmarks.contains(where: { abs($0.x - first.x) >= 1 || abs($0.y - first.y) >= 1 })
        else {
            return ["alignment places points a pixel apart or more"]
        }
        return []
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != Self.fileName && !name.hasPrefix(".") && name.utf8.count <= 128
            && name.utf8.allSatisfy { byte in
                byte > 32 && byte < 127 && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "\\")
            }
    }
}

extension PackManifest {
    /// The same pack under another name.
    public func renamed(_ id: PackID) -> PackManifest {
        var copy = self
        copy.id = id
        return copy
    }
}
