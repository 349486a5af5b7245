internal import Foundation

/// Reads the frames of a stream: runs ``FaceAnalyzer`` on each and adds the measurements that
/// sessions need.
///
/// A stateless value, like the analyzer. One frame costs one detector run, one mesh, two eyes, and
/// one descriptor crop.
public struct LiveAnalyzer: Sendable {
    public let analyzer: FaceAnalyzer
    private let likeness: FaceDescriber
    private let attacks: PresentationAttackScorer?

    /// - Parameter looksForAttacks: Runs the pack's presentation-attack network, if it has one, on
    ///   every frame.
    public init(_ analyzer: FaceAnalyzer, looksForAttacks: Bool = false) {
        self.analyzer = analyzer
        likeness = FaceDescriber(analyzer.geometry.descriptor, crops: [.init()])
        attacks =
            looksForAttacks
            ? analyzer.geometry.presentationAttack.map(PresentationAttackScorer.init) : nil
    }

    public func reading(of frame: Frame, index: Int, with networks: some FaceNetworks)
        throws(FaceModelError) -> FaceReading
    {
        let analysis = try analyzer.analyze(frame.image, search: .near, with: networks)
        return FaceReading(
            index: index, frame: frame, contentHash: frame.image.contentHash,
            brightness: frame.image.brightness, faceCount: analysis.faces.count,
            face: try analysis.main.map { (face) throws(FaceModelError) in
                try live(face, in: frame.image, with: networks)
            })
    }

    /// Returns the calibrated descriptor of the face in `reading`, with its quality and pose.
    public func entry(of reading: FaceReading, with networks: some FaceNetworks)
        throws(FaceModelError) -> FaceTemplate.Entry
    {
        guard let face = reading.face else {
            throw FaceModelError(.descriptor, "the frame shows no face")
        }
        let descriptor = try analyzer.describer.description(
            of: face.mesh, in: reading.frame.image, with: networks
        ).descriptor
        do {
            return try FaceTemplate.Entry(
                descriptor: descriptor, quality: UInt8(clamping: face.quality.score),
                pose: face.pose)
        } catch {
            throw FaceModelError(.mesh, "the head's angles are not in −180…180")
        }
    }

    private func live(_ face: AnalyzedFace, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> LiveFace
    {
        // A face seen from far to one side may produce a vector without direction. Treat its
        // likeness as unknown instead of ending the stream.
        let description = try? likeness.description(of: face.mesh, in: image, with: networks)
        return LiveFace(
            box: face.detection.box, mesh: face.mesh, pose: face.pose,
            eyes: face.eyes ?? EyeOpening(right: 0, left: 0),
            quality: description.map { likeness.quality(face.quality, with: $0) } ?? face.quality,
            likeness: description?.descriptor,
            likenessLimits: analyzer.geometry.descriptor.likeness ?? .standard,
            patch: FacePatch(of: face.mesh, in: image),
            texture: TextureCues(of: face.mesh, in: image),
            presentationAttack: try attacks?.score(of: face, in: image, with: networks),
            light: LightSample(of: face.mesh, in: image))
    }
}

extension RGBImage {
    /// The mean of all channels at every eighth pixel of every eighth row, 0...255.
    var brightness: Double {
        var sum = 0, count = 0
        for y in stride(from: 0, to: height, by: 8) {
            for x in stride(from: 0, to: width, by: 8) {
                let color = self[x, y]
                sum += Int(color.red) + Int(color.green) + Int(color.blue)
                count += 3
            }
        }
        return Double(sum) / Double(count)
    }

    /// FNV-1a hash over the image's dimensions and all its bytes, eight at a time. Identical
    /// pictures have identical hashes.
    var contentHash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01B3 }
        add(UInt64(width))
        add(UInt64(height))
        let whole = pixels.count / 8 * 8
        unsafe pixels.withUnsafeBytes { bytes in
            for i in stride(from: 0, to: whole, by: 8) {
                add(unsafe bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            }
        }
        for i in whole..<pixels.count { add(UInt64(pixels[i])) }
        return hash
    }
}
