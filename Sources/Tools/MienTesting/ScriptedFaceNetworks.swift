internal import Foundation
public import MienFace
public import MienPixels

/// `FaceNetworks` that answer what a test tells them to, and remember what they were shown.
///
/// A network without an answer fails the call, so that a test notices what it did not expect.
public final class ScriptedFaceNetworks: FaceNetworks {
    public let geometry: FaceGeometry
    /// The networks that ran, in order.
    public private(set) var runs: [FaceNetwork] = []
    private var inputs: [(network: FaceNetwork, values: [Float])] = []
    private var answers: [FaceNetwork: [[[Float]]]] = [:]

    public init(geometry: FaceGeometry = .defaultPack) { self.geometry = geometry }

    /// From now on `network` answers `outputs`; of several, one after another, the last for ever.
    public func answer(_ network: FaceNetwork, _ outputs: [[Float]]...) {
        answers[network] = outputs
    }

    public func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]
    {
        guard let input = geometry.input(of: network) else {
            throw FaceModelError(network, "the geometry does not have it")
        }
        var values = [Float](repeating: .nan, count: input.count)
        var span = values.mutableSpan
        fill(&span)
        runs.append(network)
        inputs.append((network, values))
        guard let outputs = answers[network]?.first else {
            throw FaceModelError(network, "the test gave it no answer")
        }
        if answers[network]!.count > 1 { answers[network]!.removeFirst() }
        return outputs
    }

    /// What `network` was given, number for number, run by run.
    public func values(shownTo network: FaceNetwork) -> [[Float]] {
        inputs.filter { $0.network == network }.map(\.values)
    }

    /// What `network` was given, as pictures again, run by run. Not for networks that take planes
    /// (NCHW).
    public func pictures(shownTo network: FaceNetwork) -> [RGBImage] {
        guard let input = geometry.input(of: network) else { return [] }
        precondition(input.layout == .nhwc && input.colour == .rgb, "interleaved red, green, blue")
        return values(shownTo: network).map { values in
            let pixels = values.enumerated().map { i, value in
                UInt8(min(max((value / input.scale + input.mean[i % 3]).rounded(), 0), 255))
            }
            return try! RGBImage(width: input.width, height: input.height, pixels: pixels)
        }
    }
}

extension DetectorGeometry {
    /// What a detector answers that sees `faces` in a picture of `width` by `height` pixels, and
    /// nothing else.
    ///
    /// Each face takes a row of its own, the first free one of those whose anchors are nearest.
    /// Scores elsewhere are far below any threshold.
    public func outputs(showing faces: [DetectedFace], inPictureOf width: Int, by height: Int)
        -> [[Float]]
    {
        let anchors = anchors
        var rows = [Float](repeating: 0, count: 16 * anchors.count),
            scores = [Float](repeating: -50, count: anchors.count)
        let scale = min(Double(input.width) / Double(width), Double(input.height) / Double(height))
        let left = (Double(input.width) - (Double(width) * scale).rounded()) / 2,
            top = (Double(input.height) - (Double(height) * scale).rounded()) / 2
        func fitted(_ p: Point) -> Point {
            Point(x: p.x * scale + left.rounded(.down), y: p.y * scale + top.rounded(.down))
        }
        for face in faces {
            let centre = fitted(face.box.centre)
            let row = anchors.indices.filter { scores[$0] == -50 }.min {
                anchors[$0].distance(to: centre) < anchors[$1].distance(to: centre)
            }!
            let numbers =
                [
                    centre - anchors[row],
                    Point(x: face.box.width * scale, y: face.box.height * scale),
                ]
                + face.keyPoints.map { fitted($0) - anchors[row] }
            for (i, p) in numbers.enumerated() {
                (rows[16 * row + 2 * i], rows[16 * row + 2 * i + 1]) = (Float(p.x), Float(p.y))
            }
            scores[row] = Float(log(face.confidence / (1 - face.confidence)))
        }
        return [rows, scores]
    }
}
