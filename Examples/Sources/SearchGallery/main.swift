// Finds the photos in a folder that show the person in another photo.
//
//     swift run -c release SearchGallery folder probe.jpg
//
// It adds every .jpg, .jpeg, .png, and .gif file in the folder to a gallery, searches for the
// probe, and prints something like:
//
//     4 photos in the gallery
//     72.0  ada.jpg
//      3.1  grace.jpg
//      0.0  mary.jpg
//     probe.jpg shows the person of ada.jpg
//
// or "… shows nobody in the gallery". The exit status is 0 for a match, 1 for no match, 2 if a
// photo cannot be used, and 3 if no model pack is installed.

import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels

/// An error for a photo without a face.
struct NoFace: Error { let path: String }

/// Fills a gallery with the folder's photos, prints the most similar people to the one in `probe`,
/// and returns the match, if any.
///
/// The engine is released at the end of this function and waits for its thread, so the program may
/// exit afterward.
func search(_ folder: URL, for probe: String) async throws -> Gallery<String>.Candidate? {
    let pack = try PackLibrary(
        folder: MienHome(environment: ProcessInfo.processInfo.environment).packs
    ).pack()
    let matcher = try pack.matcher()
    let engine = try FaceEngine(pack: pack)

    // A reference is a descriptor with precomputed statistics for comparisons.
    func reference(of path: String) async throws -> Reference {
        guard let (_, description) = try await engine.describe(try ImageFile.decode(path)) else {
            throw NoFace(path: path)
        }
        return try matcher.reference(for: description.descriptor)
    }

    var gallery = Gallery<String>(matcher: matcher)
    let extensions: Set = ["jpg", "jpeg", "png", "gif"]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        guard extensions.contains(URL(filePath: name).pathExtension.lowercased()) else { continue }
        do {
            gallery.insert(try await reference(of: folder.appending(path: name).path), id: name)
        } catch is NoFace {
            print("\(name): no face, skipped")
        }
    }
    print("\(gallery.count) photos in the gallery")

    let candidates = gallery.identify(try await reference(of: probe), limit: 3)
    for candidate in candidates {
        print(String(format: "%4.1f  ", candidate.score.value) + candidate.id)
    }
    // One search makes as many comparisons as there are entries, each with a chance of a false
    // match. With n entries, raising the threshold by 12·log10(n) keeps the false-match rate per
    // search at the rate per comparison. 72 is the top of the scale.
    let threshold = MatchScore(
        MatchScore.defaultThreshold.value + 12 * log10(Double(max(1, gallery.count))))
    return candidates.first { $0.score >= threshold }
}

func stop(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

guard CommandLine.arguments.count == 3 else { stop(2, "usage: SearchGallery FOLDER PROBE-PHOTO") }
let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory),
    probe = CommandLine.arguments[2]

do {
    guard let best = try await search(folder, for: probe) else {
        print("\(probe) shows nobody in the gallery")
        exit(1)
    }
    print("\(probe) shows the person of \(best.id)")
} catch let error as NoFace {
    stop(2, "\(error.path): \(QualityReason.noFace.advice)")
} catch let error as ImageFileError {
    stop(2, "\(error)")
} catch let error as PackError {
    stop(3, "\(error)")
} catch let error as CocoaError {
    stop(2, "\(folder.path): \(error.localizedDescription)")
}
