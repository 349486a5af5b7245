// Finds the faces in photos and prints their pose and whether the photo is good enough.
//
//     swift run -c release FindFaces group.jpg portrait.jpg
//
// For each photo it prints something like:
//
//     portrait.jpg: 1 face
//       412 × 412 at (301, 122), confidence 0.94
//       yaw 4°, pitch -2°, roll 1°
//       quality 61: good enough
//
// If the quality is below 48, it also prints the reason: "quality 12: the face is too dark: turn
// towards the light". The exit status is 0, 2 if a photo cannot be read, and 3 if no model pack is
// installed.

import Foundation
import MienFace
import MienMedia
import MienModels

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
        // .thorough also runs the detector for small faces; .near is enough for a person in front
        // of a camera.
        let analysis = try await engine.analyze(image, search: .thorough)
        print("\(path): \(analysis.faces.count) face\(analysis.faces.count == 1 ? "" : "s")")
        // The most prominent face comes first. Boxes are in pixels of the upright photo.
        for face in analysis.faces {
            let box = face.box, confidence = (face.confidence * 100).rounded() / 100
            print(
                "  \(whole(box.width)) × \(whole(box.height)) at (\(whole(box.x)), \(whole(box.y))), confidence \(confidence)"
            )
        }
        // Only the most prominent face is analyzed in detail.
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
