internal import Foundation

/// Finds faces with one detector network.
///
/// The picture is fitted into the network's square, centered on black. Rows above ``minConfidence``
/// become boxes, which weighted non-maximum suppression merges.
public struct FaceDetector: Sendable {
    public let network: FaceNetwork
    public let geometry: DetectorGeometry
    /// 0...1. The networks were published with 0.5.
    public let minConfidence: Double
    private let anchors: [Point]

    public init(_ network: FaceNetwork, geometry: DetectorGeometry, minConfidence: Double = 0.5) {
        self.network = network
        self.geometry = geometry
        self.minConfidence = minConfidence
        anchors = geometry.anchors
    }

    /// Returns at most 100 faces, most confident first.
    ///
    /// - Parameter quarters: The number of clockwise quarter turns by which the network sees the
    ///   picture turned. The faces are in the pixels of `image` all the same.
    public func faces(
        in image: RGBImage, turnedBy quarters: Int = 0, with networks: some FaceNetworks
    ) throws(FaceModelError) -> [DetectedFace] {
        let (side, height) = (geometry.input.width, geometry.input.height)
        let scale = min(Double(side) / Double(image.width), Double(height) / Double(image.height))
        let fittedWidth = max(1, Int((Double(image.width) * scale).rounded())),
            fittedHeight = max(1, Int((Double(image.height) * scale).rounded()))
        let left = (side - fittedWidth) / 2, top = (height - fittedHeight) / 2
        let square = image.resized(width: fittedWidth, height: fittedHeight).placed(
            onWidth: side, height: height, x: left, y: top
        ).turned(byQuarters: quarters)

        let outputs = try networks.run(network) { geometry.input.write(square, into: &$0) }
        let candidates = try decode(outputs)
        return WeightedSuppression().merge(candidates).prefix(100).map { turned in
            let face = turned.turnedBack(byQuarters: quarters, inSquareOf: Double(side))
            // Maps from the square back to the picture.
            func back(_ p: Point) -> Point {
                Point(
                    x: (p.x - Double(left)) * Double(image.width) / Double(fittedWidth),
                    y: (p.y - Double(top)) * Double(image.height) / Double(fittedHeight))
            }
            let corner = back(Point(x: face.box.x, y: face.box.y))
            let box = Rectangle(
                x: corner.x, y: corner.y,
                width: face.box.width * Double(image.width) / Double(fittedWidth),
                height: face.box.height * Double(image.height) / Double(fittedHeight))
            return DetectedFace(
                confidence: face.confidence, box: box, keyPoints: face.keyPoints.map(back))
        }
    }

    /// Decodes rows of 16 numbers: center x, y, width, height, and six points, all in input pixels
    /// relative to the row's anchor. Scores are logits.
    private func decode(_ outputs: [[Float]]) throws(FaceModelError) -> [DetectedFace] {
        guard outputs.count == 2, outputs[0].count == 16 * anchors.count,
            outputs[1].count == anchors.count
        else {
            throw FaceModelError(
                network,
                "expected \(anchors.count) rows of 16 numbers and as many scores, got \(outputs.map(\.count))"
            )
        }
        let minLogit = Float(log(minConfidence / (1 - minConfidence)))
        var found: [DetectedFace] = []
        for (i, logit) in outputs[1].enumerated() where logit >= minLogit {
            let row = outputs[0][16 * i..<16 * i + 16].map(Double.init)
            guard row.allSatisfy(\.isFinite), row[2] > 0, row[3] > 0 else { continue }
            let anchor = anchors[i]
            let box = Rectangle(
                center: anchor + Point(x: row[0], y: row[1]), width: row[2], height: row[3])
            let points = stride(from: 4, to: 16, by: 2).map {
                anchor + Point(x: row[$0], y: row[$0 + 1])
            }
            found.append(
                DetectedFace(
                    confidence: 1 / (1 + exp(-Double(min(logit, 100)))), box: box, keyPoints: points
                ))
        }
        return found
    }
}

extension DetectedFace {
    /// Undoes clockwise quarter turns of the square picture that shows the face.
    fileprivate func turnedBack(byQuarters quarters: Int, inSquareOf side: Double) -> DetectedFace {
        (0..<quarters).reduce(self) { face, _ in
            func back(_ p: Point) -> Point { Point(x: p.y, y: side - p.x) }
            return DetectedFace(
                confidence: face.confidence,
                box: Rectangle(
                    center: back(face.box.center), width: face.box.height, height: face.box.width),
                keyPoints: face.keyPoints.map(back))
        }
    }
}
