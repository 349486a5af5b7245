/// Turns a face into a descriptor: runs the descriptor network on aligned crops and averages their
/// vectors.
public struct FaceDescriber: Sendable {
    public typealias Crop = DescriptorGeometry.Crop

    public let geometry: DescriptorGeometry
    public let crops: [Crop]

    /// - Parameter crops: Crops to use for measurements instead of the pack's own. Calibrations
    ///   hold only for the pack's own crops.
    /// - Precondition: There is at least one crop.
    public init(_ geometry: DescriptorGeometry, crops: [Crop]? = nil) {
        let crops = crops ?? geometry.crops
        precondition(!crops.isEmpty, "a descriptor needs at least one crop")
        (self.geometry, self.crops) = (geometry, crops)
    }

    /// Returns the descriptor of the face under `mesh`: the mean direction of its crops' vectors.
    ///
    /// - Throws: ``FaceModelError`` when the network fails or returns a vector without direction.
    public func description(of mesh: FaceMesh, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> FaceDescription
    {
        guard let alignment = alignment(of: mesh) else {
            throw FaceModelError(.descriptor, "the mesh has collapsed into a point")
        }
        var cut: [Crop: RGBImage] = [:]
        let chips = crops.map { crop in
            // A mirrored crop reverses the plain crop's pixels instead of warping the photo again.
            var plain = crop
            plain.mirrored = false
            let chip = cut[plain] ?? chip(plain, alignment: alignment, of: image)
            cut[plain] = chip
            return crop.mirrored ? chip.mirrored() : chip
        }
        let outputs = try networks.run(.descriptor, count: chips.count) {
            geometry.input.write(chips[$0], into: &$1)
        }
        var vectors: [[Float]] = [], lengths = 0.0
        for output in outputs {
            let (vector, length) = try unitVector(output)
            vectors.append(vector)
            lengths += length
        }
        let sum = (0..<geometry.dimensions).map { i in vectors.reduce(0) { $0 + $1[i] } }
        guard let descriptor = try? FaceDescriptor(normalizing: sum) else {
            throw FaceModelError(.descriptor, "the crops' vectors cancel out")
        }
        let length =
            sum.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot() / Double(crops.count)
        return FaceDescription(
            descriptor: descriptor, agreement: min(1, length),
            strength: lengths / Double(crops.count))
    }

    /// Returns the map that aligns the face with the network's input.
    public func alignment(of mesh: FaceMesh) -> AffineMap? {
        AffineMap.similarity(
            from: geometry.alignment.map { mesh.points[$0.mesh] },
            to: geometry.alignment.map { Point(x: $0.x, y: $0.y) })
    }

    private func chip(_ crop: Crop, alignment: AffineMap, of image: RGBImage) -> RGBImage {
        let (width, height) = (Double(geometry.input.width), Double(geometry.input.height))
        let around = AffineMap(
            a: crop.zoom, b: 0, tx: (0.5 * (1 - crop.zoom) + crop.dx) * width, c: 0, d: crop.zoom,
            ty: (0.5 * (1 - crop.zoom) + crop.dy) * height)
        return image.warped(
            by: alignment.then(around), width: geometry.input.width, height: geometry.input.height)
    }

    private func unitVector(_ outputs: [[Float]]) throws(FaceModelError) -> (
        vector: [Float], length: Double
    ) {
        guard let values = outputs.first, values.count == geometry.dimensions else {
            throw FaceModelError(
                .descriptor, "expected \(geometry.dimensions) numbers, got \(outputs.map(\.count))")
        }
        let length = values.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
        guard length.isFinite, length > 1e-6 else {
            throw FaceModelError(.descriptor, "the vector has no direction")
        }
        return (values.map { Float(Double($0) / length) }, length)
    }
}

/// A descriptor, with the agreement among the crops behind it.
public struct FaceDescription: Sendable, Equatable {
    public let descriptor: FaceDescriptor
    /// 0...1: the length of the mean of the crops' unit vectors; 1 when all crops agree. Low for
    /// blurred, covered, or unusual faces.
    public let agreement: Double
    /// The mean length of the crops' vectors before they were normalized, over 0, in a unit of the
    /// network's own. Many networks answer with short vectors when a picture shows little of a
    /// face.
    public let strength: Double

    public init(descriptor: FaceDescriptor, agreement: Double, strength: Double = 1) {
        (self.descriptor, self.agreement, self.strength) = (descriptor, agreement, strength)
    }
}
