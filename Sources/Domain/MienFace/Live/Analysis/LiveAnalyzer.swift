internal import Foundation
internal import MienPixels

/// Reads the frames of a stream: runs ``FaceAnalyzer`` on each and adds the measurements that
/// sessions need.
///
/// A stateless value, like the analyzer. An examined frame costs one detector run, one mesh, two
/// eyes, one descriptor crop, and the networks against prints and screens. A followed frame costs
/// one mesh.
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

    /// Whether the presentation-attack network runs.
    public var looksForAttacks: Bool { attacks != nil }

    /// - Parameter request: What the session needs to know about this frame.
    public func reading(
        of frame: Frame, index: Int, for request: FrameRequest = .everything,
        with networks: some FaceNetworks
    ) throws(FaceModelError) -> FaceReading {
        let hash = frame.image.contentHash
        if let face = try followed(in: frame, for: request, with: networks) {
            return FaceReading(
                index: index, frame: frame, contentHash: hash, faceCount: 1, face: face)
        }
        let analysis = try analyzer.analyze(
            frame.image, search: .near, readingEyes: request.judgesSurface, with: networks)
        return FaceReading(
            index: index, frame: frame, contentHash: hash, faceCount: analysis.faces.count,
            face: try analysis.main.map { (face) throws(FaceModelError) in
                try live(face, in: frame.image, for: request, with: networks)
            })
    }

    /// - Returns: `nil` if the frame must be examined.
    private func followed(
        in frame: Frame, for request: FrameRequest, with networks: some FaceNetworks
    ) throws(FaceModelError) -> LiveFace? {
        guard let last = request.followed(at: frame.time),
            let (mesh, quality) = try analyzer.follow(last.mesh, in: frame.image, with: networks),
            !request.isNotable(mesh)
        else { return nil }
        return LiveFace(
            box: last.box.moved(as: last.mesh.bounds, to: mesh.bounds), mesh: mesh, pose: mesh.pose,
            eyes: EyeOpening(right: 0, left: 0), quality: quality, likeness: nil,
            likenessLimits: analyzer.geometry.descriptor.likeness ?? .standard,
            patch: FacePatch(of: mesh, in: frame.image), isExamined: false)
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

    private func live(
        _ face: AnalyzedFace, in image: RGBImage, for request: FrameRequest,
        with networks: some FaceNetworks
    ) throws(FaceModelError) -> LiveFace {
        let judgesSurface = request.judgesSurface(of: face.mesh)
        // A face seen from far to one side may produce a vector without direction. Treat its
        // likeness as unknown instead of ending the stream.
        let description = try? likeness.description(of: face.mesh, in: image, with: networks)
        return LiveFace(
            box: face.detection.box, mesh: face.mesh, pose: face.pose,
            eyes: face.eyes ?? EyeOpening(right: 0, left: 0), quality: face.quality,
            likeness: description?.descriptor,
            likenessLimits: analyzer.geometry.descriptor.likeness ?? .standard,
            patch: FacePatch(of: face.mesh, in: image),
            texture: judgesSurface ? TextureCues(of: face.mesh, in: image) : nil,
            presentationAttack: judgesSurface
                ? try attacks?.score(of: face, in: image, with: networks) : nil)
    }
}

extension Rectangle {
    /// Returns the rectangle after it was moved and resized as `old` was to become `new`.
    fileprivate func moved(as old: Rectangle, to new: Rectangle) -> Rectangle {
        let k = (new.width + new.height) / max(old.width + old.height, 1e-9)
        return Rectangle(
            center: new.center + (center - old.center) * k, width: width * k, height: height * k)
    }
}

extension RGBImage {
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
