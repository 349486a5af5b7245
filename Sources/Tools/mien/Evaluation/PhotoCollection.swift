import Foundation

/// Photos of many people: a folder with one folder per person.
struct PhotoCollection {
    struct Photo: Sendable {
        /// The person's folder.
        let person: String
        /// The file's name in it.
        let name: String
        let path: String

        /// 12 of `J.Doe_0012.jpg`: what lists of pairs call it.
        var number: Int? {
            let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
            return stem.split(separator: "_").last.flatMap { Int($0) }
        }
    }

    let folder: String
    let photos: [Photo]
    var personCount: Int { Set(photos.map(\.person)).count }

    private static let extensions: Set<String> = ["jpg", "jpeg", "png", "gif"]

    /// - Throws: ``Failure`` when there is no such folder or nothing in it.
    init(_ folder: String) throws {
        let root = URL(filePath: folder, directoryHint: .isDirectory)
        func names(in url: URL) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
        }
        guard (try? root.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true else {
            throw Failure(
                .badInput, "folder.missing",
                "\(folder): there is no such folder; name one that holds a folder of photos per person"
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
                "\(folder): no photos; one folder per person is expected in it, with .jpg, .png or .gif files"
            )
        }
    }
}
