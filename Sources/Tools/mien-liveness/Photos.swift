internal import Foundation
internal import MienImage
internal import MienPixels

/// A folder of photos, with one folder per person.
struct Photos {
    let files: [String]

    init(files: [String]) { self.files = files }

    init(folder: String) throws {
        let files = FileManager.default
        let people = try files.contentsOfDirectory(atPath: folder).sorted()
        self.files = people.compactMap { person in
            let inside = ((try? files.contentsOfDirectory(atPath: "\(folder)/\(person)")) ?? [])
                .filter { $0.hasSuffix(".jpg") }.sorted()
            return inside.first.map { "\(folder)/\(person)/\($0)" }
        }
    }

    /// Returns one photo per person, spread evenly over the folder and different for each `number`.
    func photo(_ number: Int) throws -> RGBImage {
        try ImageFile.decode(files[number * 37 % files.count])
    }
}
