// Puts your own networks, or a wrapper around networks, under the face pipeline.
//
//     swift run -c release CustomNetworks
//
// It needs no model pack and no photo, and prints:
//
//     found 1 face at (75, 18), 150 × 144
//     its descriptor has 48 numbers
//     the same picture again: cosine 1.0
//     a picture of other colors: cosine 0.19
//     runs: detectorShortRange 3, mesh 3, iris 6, descriptor 6
//
// FaceNetworks is the pipeline's one seam: code that runs five networks, on any engine, can use all
// of MienFace.

import MienFace

/// Networks of plain arithmetic. They "find" one face in the middle of every picture and describe
/// it by its colors.
///
/// Real networks load files and call an inference engine. docs/spec/model-pack.md specifies the
/// shapes and the order of the outputs.
final class ArithmeticNetworks: FaceNetworks {
    let geometry = FaceGeometry(
        detectorShortRange: DetectorGeometry(
            input: InputGeometry(width: 16, height: 16), grids: [.init(stride: 16, perCell: 1)]),
        detectorFullRange: nil,
        mesh: MeshGeometry(input: InputGeometry(width: 64, height: 64), cropFactor: 1.5),
        iris: IrisGeometry(input: InputGeometry(width: 16, height: 16), cropFactor: 2.3),
        descriptor: DescriptorGeometry(
            input: InputGeometry(
                width: 32, height: 32, layout: .nchw, mean: [127.5, 127.5, 127.5], scale: 1 / 128),
            dimensions: 48,
            alignment: [
                .init(mesh: 33, x: 10, y: 12), .init(mesh: 263, x: 22, y: 12),
                .init(mesh: 2, x: 16, y: 20),
            ]))

    func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]
    {
        switch network {
        case .detectorShortRange:
            // One anchor in the middle: box center, box size, and six key points relative to it,
            // followed by a logit.
            return [[0, 0, 8, 8, -2, -2, 2, -2, 0, 0, 0, 2, -4, 0, 4, 0], [4]]
        case .detectorFullRange, .presentationAttack:
            throw FaceModelError(network, "This network does not exist.")
        case .mesh:
            return [mesh(side: Float(geometry.mesh.input.width)), [20]]
        case .iris:
            return [eye]
        case .descriptor:
            return [colors(of: input(geometry.descriptor.input, fill))]
        }
    }

    /// Returns the network's input. The pipeline writes all of it, laid out and scaled as the
    /// geometry requires.
    private func input(_ geometry: InputGeometry, _ fill: (inout MutableSpan<Float>) -> Void)
        -> [Float]
    {
        var values = [Float](repeating: 0, count: geometry.count)
        var span = values.mutableSpan
        fill(&span)
        return values
    }

    /// Returns 468 points (x, y, depth) of a flat, upright face: the first half on the person's right,
    /// the second on the left, with the corners of the eyes and the nose at their proper positions.
    private func mesh(side: Float) -> [Float] {
        let named: [Int: (x: Float, y: Float)] = [
            33: (0.3, 0.4), 133: (0.44, 0.4), 362: (0.56, 0.4), 263: (0.7, 0.4), 1: (0.5, 0.56),
            2: (0.5, 0.6), 10: (0.5, 0.17), 152: (0.5, 0.83),
        ]
        return (0..<FaceMesh.pointCount).flatMap { i in
            let (half, index) = (i / 235, i % 235)
            let column = Float(index % 22) / 21, row = Float(index / 22) / 10
            let point = named[i] ?? (0.2 + 0.3 * (Float(half) + column), 0.2 + 0.6 * row)
            return [point.x * side, point.y * side, 0]
        }
    }

    /// 71 points: along the lower lid from corner to corner, then along the upper lid. The others
    /// do not matter here.
    private var eye: [Float] {
        (0..<71).flatMap { i -> [Float] in
            i <= 8 ? [Float(i), 9, 0] : i <= 15 ? [Float(i - 8), 7, 0] : [0, 0, 0]
        }
    }

    /// Returns the mean of each color over each of sixteen tiles, plus a small constant so that the
    /// vector is never zero.
    private func colors(of input: [Float]) -> [Float] {
        (0..<48).map { i in
            let (channel, tileX, tileY) = (i / 16, i % 4, i % 16 / 4)
            var sum: Float = 0
            for y in 8 * tileY..<8 * tileY + 8 {
                for x in 8 * tileX..<8 * tileX + 8 { sum += input[(channel * 32 + y) * 32 + x] }
            }
            return sum / 64 + 0.01
        }
    }
}

/// Forwards every run and counts it. A wrapper like this can log, time, retry, or record any other
/// networks.
final class CountingNetworks<Base: FaceNetworks>: FaceNetworks {
    private let base: Base
    private(set) var counts: [FaceNetwork: Int] = [:]

    init(_ base: Base) { self.base = base }

    var geometry: FaceGeometry { base.geometry }

    func run(_ network: FaceNetwork, _ fill: (inout MutableSpan<Float>) -> Void)
        throws(FaceModelError) -> [[Float]]
    {
        counts[network, default: 0] += 1
        return try base.run(network, fill)
    }
}

/// Returns a simple picture: two halves of different colors.
func picture(_ left: RGBColor, _ right: RGBColor) -> RGBImage {
    var image = RGBImage(width: 300, height: 180, filledWith: left)
    for y in 0..<image.height {
        for x in image.width / 2..<image.width { image[x, y] = right }
    }
    return image
}

func describe(_ image: RGBImage, with networks: some FaceNetworks) throws -> (
    face: AnalyzedFace, descriptor: FaceDescriptor
)? {
    let analyzer = FaceAnalyzer(networks.geometry)
    guard let face = try analyzer.analyze(image, with: networks).main else { return nil }
    return (face, try analyzer.describe(face, in: image, with: networks).descriptor)
}

let networks = CountingNetworks(ArithmeticNetworks())
let redAndBlue = picture(RGBColor(200, 120, 90), RGBColor(60, 60, 160)),
    greenAndYellow = picture(RGBColor(40, 200, 90), RGBColor(220, 220, 40))
guard let first = try describe(redAndBlue, with: networks),
    let again = try describe(redAndBlue, with: networks),
    let other = try describe(greenAndYellow, with: networks)
else { fatalError("these networks always find a face") }

func rounded(_ value: Float) -> Float { (value * 100).rounded() / 100 }

let box = first.face.detection.box
print("found 1 face at (\(Int(box.x)), \(Int(box.y))), \(Int(box.width)) × \(Int(box.height))")
// Descriptors are never printed. Their cosine shows how similar two of them are; 1 means the same
// direction.
print("its descriptor has \(first.descriptor.dimensions) numbers")
print("the same picture again: cosine \(rounded(first.descriptor.cosine(with: again.descriptor)))")
print(
    "a picture of other colors: cosine \(rounded(first.descriptor.cosine(with: other.descriptor)))"
)

// Each eye goes through its network separately: two runs per picture. The face goes through as one
// crop and its mirror image: two runs per picture.
let runs = FaceNetwork.allCases.compactMap { network in
    networks.counts[network].map { "\(network.rawValue) \($0)" }
}
print("runs: \(runs.joined(separator: ", "))")
