// Do two photos show the same person?
//
//     swift run -c release VerifyTwoPhotos first.jpg second.jpg
//
// prints, for two photos of one person,
//
//     score 66.8 of 72 (about 1 in 370,000)
//     match
//
// and otherwise "no match". Exits with 0, 1 for no match, 2 when a photo cannot be used, 3 when no model pack is installed.

import Foundation
import MienCore
import MienFace
import MienImage
import MienModels

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

guard CommandLine.arguments.count == 3 else { stop(2, "usage: VerifyTwoPhotos FIRST-PHOTO SECOND-PHOTO") }

do {
    // A pack is checked, file by file, when it is loaded. Its matcher knows what this pack's scores mean.
    let pack = try PackLibrary(folder: MienHome(environment: ProcessInfo.processInfo.environment).packs).pack()
    let matcher = try pack.matcher()
    let engine = try FaceEngine(pack: pack)

    var references: [Reference] = []
    for path in CommandLine.arguments.dropFirst() {
        // Limits on bytes and pixels are checked before anything is decoded.
        let image = try ImageFile.decode(path)
        guard let (_, description) = try await engine.describe(image) else { stop(2, "\(path): \(QualityReason.noFace.advice)") }
        references.append(try matcher.reference(for: description.descriptor))
    }

    // A score says how rarely two different people match so well; 48, the default threshold, is 1 in 10,000.
    let score = matcher.score(references[0], references[1])
    print("score \((score.value * 10).rounded() / 10) of 72 (\(score.falseMatchRateInWords))")
    print(score >= .defaultThreshold ? "match" : "no match")
    exit(score >= .defaultThreshold ? 0 : 1)
} catch let error as ImageFileError {
    stop(2, "\(error)")
} catch let error as PackError {
    stop(3, "\(error)")
}
