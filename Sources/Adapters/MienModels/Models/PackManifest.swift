public import Foundation
public import MienCore
public import MienFace

/// The contents of `manifest.json`: the pack's identity, its files, and its networks' inputs.
/// `docs/spec/model-pack.md` describes the format.
public struct PackManifest: Sendable, Hashable, Codable {
    public static let format = "mien-model-pack/1"
    public static let fileName = "manifest.json"
    /// Maximum size of a manifest in bytes.
    public static let sizeLimit = 1_000_000
    /// Maximum total size of a pack's files in bytes.
    public static let filesLimit = 2_000_000_000
    /// Maximum number of a detector's anchors.
    public static let anchorLimit = 100_000

    public struct File: Sendable, Hashable, Codable {
        /// A plain file name inside the pack's folder.
        public let name: String
        public internal(set) var bytes: Int
        /// 64 lowercase hexadecimal digits.
        public internal(set) var sha256: String
        /// An SPDX expression.
        public let license: String
        /// The origin of the file, for people.
        public let source: String

        private enum CodingKeys: String, CodingKey {
            case name, bytes, sha256, license = "licence", source
        }
    }

    public let format: String
    public internal(set) var id: PackID
    public let title: String
    /// The SPDX expression for the whole pack.
    public let license: String
    public internal(set) var files: [File]
    /// The file of each network. Optional networks may be missing.
    public let networks: [String: String]
    /// For each ``PackVariant``, the networks that it replaces and their files. Descriptors of all
    /// variants can be compared with each other.
    public let variants: [String: [String: String]]?
    public let geometry: FaceGeometry
    /// The file name of the score calibration.
    public let calibration: String
    /// The file name of the synthetic cohort used to normalize scores; `nil` if the calibration
    /// needs none.
    public internal(set) var cohort: String?

    private enum CodingKeys: String, CodingKey {
        case format, id, title, license = "licence", files, networks, variants, geometry
        case calibration, cohort
    }

    /// Parses a manifest: JSON of at most ``sizeLimit`` bytes, read strictly (`JSONText`).
    ///
    /// - Throws: `JSONTextError`, `DecodingError`.
    public init(parsing data: Data) throws {
        let value = try JSONText.parse(
            [UInt8](data), limits: .init(maxBytes: Self.sizeLimit, maxDepth: 16))
        self = try value.decoded(as: PackManifest.self)
    }

    /// Returns the file that contains a network, in the given variant if that replaces it.
    public func file(of network: FaceNetwork, in variant: PackVariant? = nil) -> String? {
        variant.flatMap { variants?[$0.rawValue]?[network.rawValue] } ?? networks[network.rawValue]
    }

    /// The names of all files that contain networks or their weights.
    public var networkFiles: Set<String> {
        let graphs = Set(networks.values).union((variants ?? [:]).values.flatMap(\.values))
        return graphs.union(
            graphs.filter { $0.hasSuffix(".xml") }.map { String($0.dropLast(4)) + ".bin" })
    }

    /// The problems of a decoded manifest; empty if it is valid. Safe to display whatever the
    /// manifest contains.
    public var faults: [String] { (fileFaults + textFaults + geometryFaults).map(\.printable) }

    private var fileFaults: [String] {
        var faults: [String] = []
        if format != Self.format {
            faults.append("the format is “\(format)”; this version reads “\(Self.format)”")
        }
        for file in files where !Self.isPlain(file.name) {
            faults.append("“\(file.name)” is not a plain file name")
        }
        if Set(files.map(\.name)).count != files.count { faults.append("a file is named twice") }
        if files.contains(where: { !(0...Self.filesLimit).contains($0.bytes) })
            || files.reduce(0, { $0 &+ $1.bytes }) > Self.filesLimit
        {
            faults.append("the total size of its files must be 0 to 2 GB")
        }
        let names = Set(files.map(\.name))
        for network in FaceNetwork.allCases where !network.isOptional && file(of: network) == nil {
            faults.append("there is no file for the \(network.rawValue) network")
        }
        for name in networks.keys.sorted() where FaceNetwork(rawValue: name) == nil {
            faults.append("“\(name)” is an unknown network")
        }
        for network in FaceNetwork.allCases
        where network.isOptional
            && (geometry.input(of: network) == nil) != (file(of: network) == nil)
        {
            faults.append(
                "\(network.rawValue) must be in both networks and geometry, or in neither")
        }
        for (variant, replaced) in (variants ?? [:]).sorted(by: { $0.key < $1.key }) {
            if PackVariant(rawValue: variant) == nil {
                faults.append("“\(variant)” is an unknown variant")
            }
            for name in replaced.keys.sorted() where networks[name] == nil {
                faults.append(
                    "the variant \(variant) replaces “\(name)”, which is not a network of this pack"
                )
            }
        }
        for name in networkFiles.sorted() + [calibration] + [cohort].compactMap(\.self)
        where !names.contains(name) {
            faults.append("“\(name)” is not among its files")
        }
        return faults
    }

    /// Displayed text must not contain terminal control sequences.
    private var textFaults: [String] {
        let texts =
            [("title", title), ("licence", license)]
            + files.flatMap {
                [("licence of \($0.name)", $0.license), ("source of \($0.name)", $0.source)]
            }
        return texts.filter { !$0.1.isPrintable }.map { "the \($0.0) contains control characters" }
    }

    private var geometryFaults: [String] {
        var faults: [String] = []
        let detectors =
            [geometry.detectorShortRange] + [geometry.detectorFullRange].compactMap(\.self)
        for input in FaceNetwork.allCases.compactMap({ geometry.input(of: $0) }) {
            if !(8...1024).contains(input.width) || !(8...1024).contains(input.height) {
                faults.append("input sides must be 8...1024 pixels")
            }
            if input.mean.count != 3 || !input.scale.isFinite {
                faults.append("an input must have three means and a finite scale")
            }
        }
        for input in [geometry.mesh.input, geometry.iris.input] where input.width != input.height {
            faults.append("the inputs of the mesh and iris networks must be square")
        }
        let grids = detectors.flatMap(\.grids)
        for grid in grids
        where !(1...1024).contains(grid.stride) || !(1...64).contains(grid.perCell) {
            faults.append("a grid must have a stride of 1...1024 and 1...64 anchors per cell")
        }
        // Count only after the sizes were checked, so that the count cannot overflow.
        if faults.isEmpty, detectors.contains(where: { $0.anchorCount > Self.anchorLimit }) {
            faults.append("a detector may have at most 100,000 anchors")
        }
        if !(0.01...100).contains(geometry.mesh.cropFactor)
            || !(0.01...100).contains(geometry.iris.cropFactor)
        {
            faults.append("a crop factor must be 0.01...100")
        }
        if !FaceDescriptor.dimensionRange.contains(geometry.descriptor.dimensions) {
            faults.append("a descriptor must have 1...1024 dimensions")
        }
        if geometry.descriptor.likeness?.isValid == false {
            faults.append(
                "the limits of likeness, also those of enrollment, must be over 0 and under 1, the strict ones not below the others"
            )
        }
        if geometry.descriptor.strength?.isValid == false {
            faults.append(
                "the strength of a descriptor must be enough from a length over 0, and full from a greater one"
            )
        }
        let crops = geometry.descriptor.crops
        if !(1...16).contains(crops.count)
            || !crops.allSatisfy({
                (0.25...4).contains($0.zoom) && abs($0.dx) <= 1 && abs($0.dy) <= 1
            })
        {
            faults.append(
                "a descriptor needs 1 to 16 crops, each enlarged by 0.25...4 and shifted by at most its side"
            )
        }
        return faults + Self.faults(of: geometry.descriptor.alignment)
            + (geometry.presentationAttack?.faults ?? [])
    }

    private static func faults(of landmarks: [DescriptorGeometry.Landmark]) -> [String] {
        guard landmarks.count >= 2,
            landmarks.allSatisfy({ (0..<FaceMesh.pointCount).contains($0.mesh) })
        else {
            return ["alignment needs two or more of the 468 mesh points"]
        }
        guard landmarks.count <= FaceMesh.pointCount,
            Set(landmarks.map(\.mesh)).count == landmarks.count
        else {
            return ["alignment must not name a mesh point twice"]
        }
        guard landmarks.allSatisfy({ abs($0.x) <= 4096 && abs($0.y) <= 4096 }) else {
            return ["alignment points must be within 4096 pixels"]
        }
        // If all points coincided, they would shrink the face to a point.
        let first = landmarks[0]
        guard landmarks.contains(where: { abs($0.x - first.x) >= 1 || abs($0.y - first.y) >= 1 })
        else {
            return ["alignment points must be at least a pixel apart"]
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
    /// Returns the same pack under another name.
    public func renamed(_ id: PackID) -> PackManifest {
        var copy = self
        copy.id = id
        return copy
    }
}
