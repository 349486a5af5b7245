import Foundation
import MienFace

/// `FaceNetworks` that return scripted outputs and record their inputs.
///
/// A network without a scripted output fails the call, so that tests detect unexpected runs.
public final class ScriptedFaceNetworks: FaceNetworks {
    public let geometry: FaceGeometry
    /// The networks that ran, in order.
    public private(set) var runs: [FaceNetwork] = []
    private var inputs: [(network: FaceNetwork, values: [Float])] = []
    private var answers: [FaceNetwork: [[[Float]]]] = [:]

    public init(geometry: FaceGeometry = .defaultPack) { self.geometry = geometry }

    /// Makes `network` return `outputs` from now on. Several outputs are returned in turn; the last
    /// one is repeated.
    public func answer(_ network: FaceNetwork, _ outputs: [[Float]]...) {
        answers[network] = outputs
    }

    public func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]
    {
        guard let input = geometry.input(of: network) else {
            throw FaceModelError(network, "the geometry does not include it")
        }
        var values = [Float](repeating: .nan, count: input.count)
        var span = values.mutableSpan
        fill(&span)
        runs.append(network)
        inputs.append((network, values))
        guard let outputs = answers[network]?.first else {
            throw FaceModelError(network, "the test did not script an output for it")
        }
        if answers[network]!.count > 1 { answers[network]!.removeFirst() }
        return outputs
    }

    /// Returns the values passed to `network`, run by run.
    public func values(shownTo network: FaceNetwork) -> [[Float]] {
        inputs.filter { $0.network == network }.map(\.values)
    }

    /// Returns the pictures passed to `network`, run by run. Not for planar input (NCHW).
    public func pictures(shownTo network: FaceNetwork) -> [RGBImage] {
        guard let input = geometry.input(of: network) else { return [] }
        precondition(
            input.layout == .nhwc && input.color == .rgb,
            "the input must be interleaved red, green, blue")
        return values(shownTo: network).map { values in
            let pixels = values.enumerated().map { i, value in
                UInt8(min(max((value / input.scale + input.mean[i % 3]).rounded(), 0), 255))
            }
            return try! RGBImage(width: input.width, height: input.height, pixels: pixels)
        }
    }
}

extension DetectorGeometry {
    /// Returns the outputs of a detector that finds only `faces` in a picture of `width` by
    /// `height` pixels.
    ///
    /// Each face uses its own row: the first free one of those whose anchors are nearest. All other
    /// scores are far below any threshold.
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
            let center = fitted(face.box.center)
            let row = anchors.indices.filter { scores[$0] == -50 }.min {
                anchors[$0].distance(to: center) < anchors[$1].distance(to: center)
            }!
            let numbers =
                [
                    center - anchors[row],
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
