// Tells whether two photos show the same person.
//
//     swift run -c release VerifyTwoPhotos first.jpg second.jpg
//
// For two photos of one person it prints:
//
//     score 66.8 of 72 (about 1 in 370,000)
//     match
//
// Otherwise it prints "no match". The exit status is 0 for a match, 1 for no match, 2 if a photo
// cannot be used, and 3 if no model pack is installed.

import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels

/// An error for a photo without a face.
struct NoFace: Error { let path: String }

/// Compares the faces in two photos.
///
/// The engine runs a thread of its own. It is released at the end of this function and waits for
/// its thread, so the program may exit afterward.
func score(_ first: String, _ second: String) async throws -> MatchScore {
    // A pack is verified file by file when it is loaded. Its matcher knows what this pack's scores
    // mean.
    let pack = try PackLibrary(
        folder: MienHome(environment: ProcessInfo.processInfo.environment).packs
    ).pack()
    let matcher = try pack.matcher()
    let engine = try FaceEngine(pack: pack)

    // A reference is a descriptor with precomputed statistics for comparisons.
    func reference(of path: String) async throws -> Reference {
        // Limits on bytes and pixels are checked before decoding.
        let image = try ImageFile.decode(path)
        guard let (_, description) = try await engine.describe(image) else {
            throw NoFace(path: path)
        }
        return try matcher.reference(for: description.descriptor)
    }
    return matcher.score(try await reference(of: first), try await reference(of: second))
}

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

guard CommandLine.arguments.count == 3 else {
    stop(2, "usage: VerifyTwoPhotos FIRST-PHOTO SECOND-PHOTO")
}

do {
    // A score shows how rarely two different people match this well. The default threshold, 48,
    // means 1 in 10,000.
    let score = try await score(CommandLine.arguments[1], CommandLine.arguments[2])
    print("score \((score.value * 10).rounded() / 10) of 72 (\(score.falseMatchRateInWords))")
    print(score >= .defaultThreshold ? "match" : "no match")
    if score < .defaultThreshold { exit(1) }
} catch let error as NoFace {
    stop(2, "\(error.path): \(QualityReason.noFace.advice)")
} catch let error as ImageFileError {
    stop(2, "\(error)")
} catch let error as PackError {
    stop(3, "\(error)")
}
