import Foundation
import MienFace
import MienModels
import MienTools

/// Turns a decoded photo into one descriptor on one thread: detect, mesh, align, describe one crop,
/// without pose and quality: docs/facts.md §5, row 1.
struct PipelineBench {
    let engine: FaceEngine
    let repeats: Int

    struct Result: Encodable, Sendable {
        let photo: String
        let width, height: Int
        let total: Stopwatch.Summary
        let detect: Stopwatch.Summary
        let mesh: Stopwatch.Summary
        let descriptor: Stopwatch.Summary
        /// The work of commands on a photo: both detectors where needed, eyes, quality, and all the
        /// pack's crops.
        let whole: Stopwatch.Summary
    }

    /// - Precondition: `engine` was created with one crop.
    func run(_ photo: String, _ image: RGBImage) async throws -> Result {
        let repeats = repeats
        return try await engine.run { analyzer, networks in
            guard let face = try analyzer.faces(in: image, search: .near, with: networks).first
            else {
                throw Failure(
                    .badInput, QualityReason.noFace.rawValue,
                    "\(photo): \(QualityReason.noFace.advice)")
            }
            let fitter = MeshFitter(analyzer.geometry.mesh)
            let mesh = try fitter.mesh(of: face, in: image, with: networks)
            let asCommandsDo = FaceAnalyzer(analyzer.geometry)
            return Result(
                photo: photo, width: image.width, height: image.height,
                total: try Stopwatch.measure(repeats) {
                    guard
                        let face = try analyzer.faces(in: image, search: .near, with: networks)
                            .first
                    else { return }
                    let mesh = try fitter.mesh(of: face, in: image, with: networks)
                    _ = try analyzer.describer.description(of: mesh, in: image, with: networks)
                },
                detect: try Stopwatch.measure(repeats) {
                    _ = try analyzer.faces(in: image, search: .near, with: networks)
                },
                mesh: try Stopwatch.measure(repeats) {
                    _ = try fitter.mesh(of: face, in: image, with: networks)
                },
                descriptor: try Stopwatch.measure(repeats) {
                    _ = try analyzer.describer.description(of: mesh, in: image, with: networks)
                },
                whole: try Stopwatch.measure(max(3, repeats / 2)) {
                    guard let face = try asCommandsDo.analyze(image, with: networks).main else {
                        return
                    }
                    _ = try asCommandsDo.describe(face, in: image, with: networks)
                })
        }
    }

    /// Scales the photo to the largest size that fits into 640×480.
    static func fitted(_ image: RGBImage) -> RGBImage {
        let scale = min(640 / Double(image.width), 480 / Double(image.height))
        return image.resized(
            width: Int((Double(image.width) * scale).rounded()),
            height: Int((Double(image.height) * scale).rounded()))
    }
}
