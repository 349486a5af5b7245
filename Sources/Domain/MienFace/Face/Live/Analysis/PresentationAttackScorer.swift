internal import Foundation

/// Scores a face with the pack's presentation-attack network.
struct PresentationAttackScorer: Sendable {
    let geometry: PresentationAttackGeometry

    /// Runs the network once, unless a gate is closed.
    ///
    /// - Throws: ``FaceModelError`` when the network fails or its output does not match the pack's
    ///   declaration.
    func score(of face: AnalyzedFace, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> PresentationAttackScore
    {
        let box = box(of: face)
        let context = min(
            Double(image.width) / max(box.width, 1), Double(image.height) / max(box.height, 1))
        let brightness = face.quality[.exposure]?.value ?? 0
        let gate = PresentationGate.closed(
            context: context, minContext: geometry.minContext, presence: face.mesh.presence,
            brightness: brightness)
        if let gate { return score(.closed(gate)) }

        let input = geometry.input
        // Networks for the outline were trained on pictures that were shrunk without averaging.
        let crop = image.warped(
            by: map(around: box, in: image), width: input.width, height: input.height,
            averaging: geometry.crop == .square
        ).brightened(by: Self.goodBrightness / brightness)
        let outputs = try networks.run(.presentationAttack) { input.write(crop, into: &$0) }
        guard let values = outputs.first, values.count == geometry.classes,
            values.allSatisfy(\.isFinite)
        else {
            throw FaceModelError(
                .presentationAttack,
                "expected \(geometry.classes) finite numbers, got \(outputs.map(\.count))")
        }
        let live = probability(of: geometry.live, in: values.map(Double.init))
        guard (-0.001...1.001).contains(live) else {
            throw FaceModelError(
                .presentationAttack,
                "the outputs are not probabilities; the pack's activation must match the network")
        }
        return score(.attack(min(1, max(0, 1 - live))))
    }

    /// The mean brightness of a face, 0...255, up to which the network sees it brightened. Darker
    /// genuine faces are more often mistaken for prints: see docs/measurements/presentation.md.
    private static let goodBrightness = 100.0

    private func score(_ finding: PresentationAttackScore.Finding) -> PresentationAttackScore {
        PresentationAttackScore(finding, limit: geometry.limit, strictLimit: geometry.strictLimit)
    }

    /// The box of the face, as the network's crops were made from.
    private func box(of face: AnalyzedFace) -> Rectangle {
        guard geometry.crop == .outline else { return face.detection.box }
        // The mesh is smaller than the boxes of the detector with which such networks were trained.
        let bounds = face.mesh.bounds
        let width = bounds.width / 0.885, height = bounds.height / 0.985
        return Rectangle(
            x: bounds.center.x - width / 2, y: bounds.center.y - height / 2, width: width,
            height: height)
    }

    /// The map from the picture to the network's input. Upright, because such networks are trained
    /// on upright faces and also use the area around the face.
    func map(around box: Rectangle, in image: RGBImage) -> AffineMap {
        let input = geometry.input
        var part: Rectangle
        switch geometry.crop {
        case .square:
            let side = max(box.width, box.height, 1) * geometry.cropFactor
            part = Rectangle(
                x: box.center.x - side / 2, y: box.center.y - side / 2, width: side, height: side)
        case .outline:
            let size = (width: Double(image.width), height: Double(image.height))
            let (width, height) = (max(box.width, 1), max(box.height, 1))
            let factor = min(geometry.cropFactor, size.width / width, size.height / height)
            part = Rectangle(
                x: box.center.x - factor * width / 2, y: box.center.y - factor * height / 2,
                width: factor * width, height: factor * height)
            part = Rectangle(
                x: max(0, min(part.x, size.width - part.width)),
                y: max(0, min(part.y, size.height - part.height)), width: part.width,
                height: part.height)
        }
        let (across, down) = (
            Double(input.width) / part.width, Double(input.height) / part.height
        )
        return AffineMap(
            a: across, b: 0, tx: -part.x * across, c: 0, d: down, ty: -part.y * down)
    }

    private func probability(of index: Int, in values: [Double]) -> Double {
        switch geometry.activation {
        case .none: return values[index]
        case .sigmoid: return 1 / (1 + exp(-values[index]))
        case .softmax:
            // Subtract the largest value so that the exponentials cannot overflow.
            let largest = values.max() ?? 0
            return exp(values[index] - largest) / values.reduce(0) { $0 + exp($1 - largest) }
        }
    }
}

extension RGBImage {
    /// Returns the picture with every value multiplied by `factor`, if it is more than 1.
    func brightened(by factor: Double) -> RGBImage {
        guard factor > 1, factor.isFinite else { return self }
        let table = (0...255).map { UInt8(min(255, (Double($0) * factor).rounded())) }
        var bright = self
        bright.pixels = pixels.map { table[Int($0)] }
        return bright
    }
}
