internal import Foundation
internal import MienPixels

/// Reads frames of a stream: what ``FaceAnalyzer`` finds in a photo, and what sessions need beside
/// it.
///
/// A value without state, as the analyzer is. A frame costs a detector, a mesh, two eyes and one
/// crop of the descriptor.
public struct LiveAnalyzer: Sendable {
    public let analyzer: FaceAnalyzer
    private let likeness: FaceDescriber
    private let attacks: PresentationAttackScorer?

    /// - Parameter looksForAttacks: ask the pack's presentation-attack network, if it brings one,
    ///   about every frame.
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
        let analysis = try analyzer.analyse(frame.image, search: .near, with: networks)
        return FaceReading(
            index: index, frame: frame, contentHash: frame.image.contentHash,
            faceCount: analysis.faces.count,
            face: try analysis.main.map { (face) throws(FaceModelError) in
                try live(face, in: frame.image, with: networks)
            })
    }

    /// The descriptor that scores are calibrated for, of the face in `reading`.
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

    private func live(_ face: AnalysedFace, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> LiveFace
    {
        // A face seen from far aside may give numbers without direction: then it is like nobody,
        // and no reason to end a stream.
        let description = try? likeness.description(of: face.mesh, in: image, with: networks)
        return LiveFace(
            box: face.detection.box, mesh: face.mesh, pose: face.pose,
            eyes: face.eyes ?? EyeOpening(right: 0, left: 0), quality: face.quality,
            likeness: description?.descriptor, patch: FacePatch(of: face.mesh, in: image),
            texture: TextureCues(of: face.mesh, in: image),
            presentationAttack: try attacks?.score(of: face.detection, in: image, with: networks))
    }
}

extension RGBImage {
    /// FNV-1a over the sides and all bytes, eight at a time: the same for the same picture.
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
