internal import Foundation

/// Photos of many people, in a folder with one folder per person.
public struct PhotoCollection {
    public struct Photo: Sendable {
        /// The person's folder.
        package let person: String
        /// The file's name in it.
        package let name: String
        public let path: String

        /// The photo's number in lists of pairs: 12 for `J.Doe_0012.jpg`.
        package var number: Int? {
            let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
            return stem.split(separator: "_").last.flatMap { Int($0) }
        }
    }

    package let folder: String
    public let photos: [Photo]
    package var personCount: Int { Set(photos.map(\.person)).count }

    private static let extensions: Set<String> = ["jpg", "jpeg", "png", "gif"]

    /// - Throws: ``Failure`` when the folder is missing or contains no photos.
    public init(_ folder: String) throws {
        let root = URL(filePath: folder, directoryHint: .isDirectory)
        func names(in url: URL) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
        }
        guard (try? root.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true else {
            throw Failure(
                .badInput, "folder.missing",
                "\(folder): the folder does not exist; name one that contains a folder of photos per person"
            )
        }
        photos = names(in: root).flatMap { person in
            names(in: root.appending(path: person)).filter {
                Self.extensions.contains(URL(filePath: $0).pathExtension.lowercased())
            }.map {
                Photo(
                    person: person, name: $0,
                    path: root.appending(path: person).appending(path: $0).path)
            }
        }
        self.folder = folder
        guard !photos.isEmpty else {
            throw Failure(
                .badInput, "folder.empty",
                "\(folder): no photos were found; expected one folder per person, with .jpg, .png, or .gif files"
            )
        }
    }
}
