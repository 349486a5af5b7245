import ArgumentParser
import Foundation
import MienFace
import MienMedia
import MienModels
import MienTools

/// `mien face inspect PHOTO`
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the faces, the quality, and the problems of a photo.",
        discussion: """
            Exits with 0 if the quality is sufficient and 1 if not.

            EXAMPLE
              mien face inspect ada.jpg --draw ada-annotated.png
            """)

    @Argument(help: "A photo: PNG, JPEG, or GIF.") var photo: String
    @Option(
        help: ArgumentHelp(
            "Draw box, mesh, pose, quality, and reasons onto the photo and write it to this file.",
            valueName: "out.png")) var draw: String?
    @Option(help: "The sufficient quality, 0 to 100.") var quality = FaceQuality
        .defaultThreshold
    @OptionGroup var photoOptions: PhotoOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...100).contains(quality) else {
            throw ValidationError("--quality must be 0 to 100, not \(quality)")
        }
    }

    func run() async throws {
        if let draw { try OutputFile.check(file: draw) }
        let image = try photoOptions.decode(photo)
        let faces = try engine.loadEngine(try engine.loadPack())
        let analysis = try await faces.run { analyzer, networks in
            let analysis = try analyzer.analyze(image, search: .thorough, with: networks)
            guard analyzer.geometry.descriptor.strength != nil, let main = analysis.main else {
                return analysis
            }
            let description = try analyzer.describe(main, in: image, with: networks)
            return FaceAnalysis(
                faces: analysis.faces,
                main: main.with(analyzer.describer.quality(main.quality, with: description)))
        }
        if let draw {
            let png = PNGEncoder.encode(Annotation.draw(analysis, on: image))
            try OutputFile.write(Data(png), to: URL(filePath: draw))
        }
        if output.json {
            JSON.print(Output(photo: photo, analysis, quality))
        } else {
            report(analysis)
        }
        if !analysis.reasons(below: quality).isEmpty { throw Outcome.noMatch }
    }

    private func report(_ analysis: FaceAnalysis) {
        guard let face = analysis.main else {
            print("\(photo): \(QualityReason.noFace.advice)")
            return
        }
        let box = face.detection.box
        print(
            "\(photo): \(analysis.faces.count == 1 ? "one face" : "\(analysis.faces.count) faces")")
        print(
            "  box      \(Int(box.width.rounded())) × \(Int(box.height.rounded())) px at \(Int(box.x.rounded())), \(Int(box.y.rounded())) (confidence \(String.decimal(face.detection.confidence, 2)))"
        )
        print(
            "  pose     yaw \(String.decimal(Double(face.pose.yaw)))°, pitch \(String.decimal(Double(face.pose.pitch)))°, roll \(String.decimal(Double(face.pose.roll)))°"
        )
        if let eyes = face.eyes {
            print(
                "  eyes     opening \(String.decimal(eyes.right, 2)) right, \(String.decimal(eyes.left, 2)) left"
            )
        }
        print("  quality  \(face.quality.score) of 100\n")
        let rows = face.quality.parts.map {
            [
                "  " + $0.aspect.rawValue, String.decimal($0.value, 2), $0.aspect.unit,
                "\($0.grade)",
                $0.grade < quality ? $0.reason.advice : "",
            ]
        }
        print(
            Terminal.table(
                rows, heading: ["  part", "measured", "unit", "grade", "advice"],
                rightAligned: [1, 3]))
        if let draw { print("\nDrawn: \(draw)") }
    }

    private struct Output: Encodable {
        struct Face: Encodable {
            let box: Rectangle
            let confidence: Double
        }
        let photo: String
        let faces: [Face]
        let pose: HeadPose?
        let eyes: EyeOpening?
        let quality: Int
        let parts: [FaceQuality.Part]
        let reasons: [QualityReason]

        init(photo: String, _ analysis: FaceAnalysis, _ threshold: Int) {
            self.photo = photo
            faces = analysis.faces.map { Face(box: $0.box, confidence: $0.confidence) }
            pose = analysis.main?.pose
            eyes = analysis.main?.eyes
            quality = analysis.qualityScore
            parts = analysis.main?.quality.parts ?? []
            reasons = analysis.reasons(below: threshold)
        }
    }
}

extension FaceQuality.Aspect {
    /// The unit of the measurement, or its range.
    fileprivate var unit: String {
        switch self {
        case .size: "px between the eyes"
        case .sharpness: "detail per contrast"
        case .exposure: "of 255"
        case .contrast: "of 128"
        case .pose: "° off the camera"
        case .eyes: "height per width"
        case .framing: "of the face, 0 to 1"
        case .singleFace: "of this face's width"
        case .visibility: "logit"
        case .strength: "vector length"
        }
    }
}
