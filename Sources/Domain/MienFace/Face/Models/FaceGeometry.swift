/// The inputs and outputs of a pack's networks, read from the pack's manifest.
public struct FaceGeometry: Sendable, Hashable, Codable {
    public let detectorShortRange: DetectorGeometry
    public let detectorFullRange: DetectorGeometry?
    public let mesh: MeshGeometry
    public let iris: IrisGeometry
    public let descriptor: DescriptorGeometry
    public let presentationAttack: PresentationAttackGeometry?

    public init(
        detectorShortRange: DetectorGeometry, detectorFullRange: DetectorGeometry?,
        mesh: MeshGeometry, iris: IrisGeometry,
        descriptor: DescriptorGeometry, presentationAttack: PresentationAttackGeometry? = nil
    ) {
        self.detectorShortRange = detectorShortRange
        self.detectorFullRange = detectorFullRange
        self.mesh = mesh
        self.iris = iris
        self.descriptor = descriptor
        self.presentationAttack = presentationAttack
    }

    /// Returns the input of `network`; `nil` when the pack does not include that network.
    public func input(of network: FaceNetwork) -> InputGeometry? {
        switch network {
        case .detectorShortRange: detectorShortRange.input
        case .detectorFullRange: detectorFullRange?.input
        case .mesh: mesh.input
        case .iris: iris.input
        case .descriptor: descriptor.input
        case .presentationAttack: presentationAttack?.input
        }
    }
}

/// A single-shot detector like BlazeFace. Returns a score and sixteen numbers per anchor: box
/// center, box size, and six key points.
public struct DetectorGeometry: Sendable, Hashable, Codable {
    /// A grid of anchors: one row and column of cells per `stride` pixels, with `perCell` anchors
    /// in each cell.
    public struct Grid: Sendable, Hashable, Codable {
        public let stride, perCell: Int
        public init(stride: Int, perCell: Int) { (self.stride, self.perCell) = (stride, perCell) }
    }

    public let input: InputGeometry
    public let grids: [Grid]

    public init(input: InputGeometry, grids: [Grid]) { (self.input, self.grids) = (input, grids) }

    /// The number of ``anchors``, computed without creating them.
    public var anchorCount: Int {
        grids.reduce(0) { count, grid in
            let columns = (input.width + grid.stride - 1) / grid.stride,
                rows = (input.height + grid.stride - 1) / grid.stride
            return count + columns * rows * grid.perCell
        }
    }

    /// Anchor centers in input pixels, in the order of the network's rows: grid by grid, row by
    /// row, cell by cell.
    public var anchors: [Point] {
        var anchors: [Point] = []
        for grid in grids {
            let columns = (input.width + grid.stride - 1) / grid.stride,
                rows = (input.height + grid.stride - 1) / grid.stride
            let cellWidth = Double(input.width) / Double(columns),
                cellHeight = Double(input.height) / Double(rows)
            for y in 0..<rows {
                for x in 0..<columns {
                    let center = Point(
                        x: (Double(x) + 0.5) * cellWidth, y: (Double(y) + 0.5) * cellHeight)
                    anchors.append(contentsOf: repeatElement(center, count: grid.perCell))
                }
            }
        }
        return anchors
    }
}

/// A mesh network. Returns 468 points with depth and its confidence that there is a face (a logit).
public struct MeshGeometry: Sendable, Hashable, Codable {
    public let input: InputGeometry
    /// The side of the square around a detected face divided by the longer side of its box.
    public let cropFactor: Double

    public init(input: InputGeometry, cropFactor: Double) {
        (self.input, self.cropFactor) = (input, cropFactor)
    }
}

/// An iris network. Returns 71 points of the eye's contour and brow and five of the iris. Its input
/// is a right eye; left eyes are mirrored first.
public struct IrisGeometry: Sendable, Hashable, Codable {
    public let input: InputGeometry
    /// The side of the square around an eye divided by the distance between its corners.
    public let cropFactor: Double

    public init(input: InputGeometry, cropFactor: Double) {
        (self.input, self.cropFactor) = (input, cropFactor)
    }
}

/// A descriptor network and the alignment with which it was trained.
public struct DescriptorGeometry: Sendable, Hashable, Codable {
    /// The position of a mesh point on the network's input, in pixels.
    public struct Landmark: Sendable, Hashable, Codable {
        /// Index into the 468 mesh points.
        public let mesh: Int
        public let x, y: Double
        public init(mesh: Int, x: Double, y: Double) { (self.mesh, self.x, self.y) = (mesh, x, y) }
    }

    /// One way to crop the aligned face.
    public struct Crop: Sendable, Hashable {
        /// Enlargement around the crop's center; 1 is the alignment with which the network was
        /// trained.
        public var zoom: Double
        /// Shift of the face on the crop, as a fraction of its side.
        public var dx, dy: Double
        public var mirrored: Bool

        public init(zoom: Double = 1, dx: Double = 0, dy: Double = 0, mirrored: Bool = false) {
            (self.zoom, self.dx, self.dy, self.mirrored) = (zoom, dx, dy, mirrored)
        }
    }

    public let input: InputGeometry
    /// Number of elements in one descriptor, 1...1024.
    public let dimensions: Int
    public let alignment: [Landmark]
    /// The crops whose vectors are averaged into the descriptor, 1...16. Different crops produce
    /// different descriptors and need another calibration.
    public let crops: [Crop]
    /// The limits of live sessions; `nil` for ``LikenessLimits/standard``.
    public let likeness: LikenessLimits?
    /// The grades of vectors by their length; `nil` if it says nothing about quality.
    public let strength: DescriptorStrength?

    public init(
        input: InputGeometry, dimensions: Int, alignment: [Landmark],
        crops: [Crop] = [Crop(), Crop(mirrored: true)], likeness: LikenessLimits? = nil,
        strength: DescriptorStrength? = nil
    ) {
        (self.input, self.dimensions, self.alignment, self.crops) = (
            input, dimensions, alignment, crops
        )
        (self.likeness, self.strength) = (likeness, strength)
    }
}

extension DescriptorGeometry.Crop: Codable {
    private enum CodingKeys: String, CodingKey { case zoom, dx, dy, mirrored }

    /// Defaults for omitted values: a zoom of 1, no shift, and not mirrored.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            zoom: try values.decodeIfPresent(Double.self, forKey: .zoom) ?? 1,
            dx: try values.decodeIfPresent(Double.self, forKey: .dx) ?? 0,
            dy: try values.decodeIfPresent(Double.self, forKey: .dy) ?? 0,
            mirrored: try values.decodeIfPresent(Bool.self, forKey: .mirrored) ?? false
        )
    }
}
