internal import Foundation
public import MienFace
public import MienMedia

/// Photo files as frames for a session. Each is decoded when it is requested, so only one is in
/// memory at a time.
public struct PhotoFrames: FrameSource {
    /// The time between two photos: longer than the interval that an enrollment requires.
    public static let interval = Duration.milliseconds(250)

    public let paths: [String]
    private let limits: ImageLimits

    public init(_ paths: [String], limits: ImageLimits = .standard) {
        (self.paths, self.limits) = (paths, limits)
    }

    /// Opens the photo at `path`, or, if it is a folder, its PNG, JPEG, and GIF files sorted by
    /// name.
    ///
    /// - Throws: `FrameSourceError` `.notFound`, `.notPermitted`; `.unreadable` for a folder
    ///   without photos.
    public init(at path: String, limits: ImageLimits = .standard) throws(FrameSourceError) {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw FrameSourceError(.notFound, "\(path): No such photo or folder exists.")
        }
        guard isFolder.boolValue else {
            self.init([path], limits: limits)
            return
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw FrameSourceError(
                .notPermitted, "\(path): The current user may not read this folder.")
        }
        let photos = names.filter {
            Self.kinds.contains(URL(filePath: $0).pathExtension.lowercased())
        }.sorted()
        guard !photos.isEmpty else {
            throw FrameSourceError(
                .unreadable, "\(path): This folder contains no PNG, JPEG, or GIF file.")
        }
        self.init(photos.map { "\(path)/\($0)" }, limits: limits)
    }

    private static let kinds: Set = ["png", "jpg", "jpeg", "gif"]

    public func makeAsyncIterator() -> Iterator { Iterator(paths: paths[...], limits: limits) }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var paths: ArraySlice<String>
        let limits: ImageLimits

        public mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        {
            if Task.isCancelled { throw FrameSourceError(.cancelled, "The task was canceled.") }
            let number = paths.startIndex
            guard let path = paths.popFirst() else { return nil }
            do {
                return Frame(
                    image: try ImageFile.decode(path, limits: limits),
                    time: PhotoFrames.interval * number)
            } catch { throw FrameSourceError(error) }
        }
    }
}

extension FrameSourceError {
    /// Converts the error of an unreadable photo for a session.
    public init(_ error: ImageFileError) {
        let code: Code =
            switch error.reason {
            case .notFound: .notFound
            case .notAllowed: .notPermitted
            case .isDirectory, .notRegular: .unreadable
            case .system: .failed
            case .image(let image):
                switch image.code {
                case .tooManyBytes, .tooManyPixels, .sides, .tooComplex: .tooLarge
                case .empty, .truncated, .unsupportedType, .corrupt: .unreadable
                }
            }
        self.init(code, error.description)
    }
}
