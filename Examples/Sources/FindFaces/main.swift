// Where are the faces, which way do they look, and is the photo good enough?
//
//     swift run -c release FindFaces group.jpg portrait.jpg
//
// prints for each photo something like
//
//     portrait.jpg: 1 face
//       412 × 412 at (301, 122), confidence 0.94
//       yaw 4°, pitch -2°, roll 1°
//       quality 61: good enough
//
// and, when the quality is under 48, why: "quality 12: the face is too dark: turn towards the
// light". Exits with 0, 2 when a photo cannot be read, 3 when no model pack is installed.

import Foundation
import MienFace
import MienImage
import MienModels
import MienPixels

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

func whole(_ number: Double) -> Int { Int(number.rounded()) }

guard CommandLine.arguments.count > 1 else { stop(2, "usage: FindFaces PHOTO…") }

do {
    let pack = try PackLibrary(
        folder: MienHome(environment: ProcessInfo.processInfo.environment).packs
    ).pack()
    let engine = try FaceEngine(pack: pack)

    for path in CommandLine.arguments.dropFirst() {
        let image = try ImageFile.decode(path)
        // .thorough runs the detector for small faces, too; .near is enough for a person in front
        // of a camera.
        let analysis = try await engine.analyse(image, search: .thorough)
        print("\(path): \(analysis.faces.count) face\(analysis.faces.count == 1 ? "" : "s")")
        // The most prominent comes first. Boxes are in pixels of the upright photo.
        for face in analysis.faces {
            let box = face.box, confidence = (face.confidence * 100).rounded() / 100
            print(
                "  \(whole(box.width)) × \(whole(box.height)) at (\(whole(box.x)), \(whole(box.y))), confidence \(confidence)"
            )
        }
        // Only that one is looked at closely.
        guard let main = analysis.main else { continue }
        print(
            "  yaw \(whole(Double(main.pose.yaw)))°, pitch \(whole(Double(main.pose.pitch)))°, roll \(whole(Double(main.pose.roll)))°"
        )
        let reasons = main.quality.reasons().map(\.advice)
        print(
            "  quality \(main.quality.score): \(reasons.isEmpty ? "good enough" : reasons.joined(separator: "; "))"
        )
    }
} catch let error as ImageFileError {
    stop(2, "\(error)")
} catch let error as PackError {
    stop(3, "\(error)")
}
