import Foundation
import MienFace
import MienMedia
import MienModels
import MienTools

/// The photos that scripts/setup downloads.
enum DemoPhotos {
    static let names = [
        "biden.jpg", "obama.jpg", "obama2.jpg", "obama3.jpg", "obama_partial_face.jpg",
        "obama_partial_face2.jpg",
    ]

    static func all(in home: MienHome) throws -> [(name: String, image: RGBImage)] {
        try names.map { (name: $0, image: try image($0, in: home)) }
    }

    static func image(_ name: String, in home: MienHome) throws -> RGBImage {
        let path = home.demoPhotos.appending(path: name).path
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(.notSetUp, "bench.photos", "\(path) is missing; run scripts/setup")
        }
        return try ImageFile.decode(path)
    }
}
