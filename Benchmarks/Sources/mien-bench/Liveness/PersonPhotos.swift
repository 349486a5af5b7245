import Foundation
import MienFace
import MienMedia
import MienTools

/// A folder of photos, with one folder per person.
struct PersonPhotos {
    let files: [String]

    init(files: [String]) { self.files = files }

    init(folder: String) throws {
        let files = FileManager.default
        guard let people = try? files.contentsOfDirectory(atPath: folder).sorted() else {
            throw Failure(
                .badInput, "folder.missing",
                "\(folder): the folder does not exist; name one that contains a folder of photos per person"
            )
        }
        self.files = people.compactMap { person in
            let inside = ((try? files.contentsOfDirectory(atPath: "\(folder)/\(person)")) ?? [])
                .filter { $0.hasSuffix(".jpg") }.sorted()
            return inside.first.map { "\(folder)/\(person)/\($0)" }
        }
        guard !self.files.isEmpty else {
            throw Failure(
                .badInput, "folder.empty",
                "\(folder): no photos were found; expected one folder per person, with .jpg files")
        }
    }

    /// Returns one photo per person, spread evenly over the folder and different for each `number`.
    func photo(_ number: Int) throws -> RGBImage {
        try ImageFile.decode(files[number * 37 % files.count])
    }
}
