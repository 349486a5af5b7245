#if canImport(MienImage)
internal import Foundation
public import MienFace
public import MienImage

/// Photo files, as sessions take frames. Decoded when their turn comes, so that one is held at a
/// time.
public struct PhotoFrames: FrameSource {
    /// Between two photos: further apart than an enrolment wants its frames.
    public static let interval = Duration.milliseconds(250)

    public let paths: [String]
    private let limits: ImageLimits

    public init(_ paths: [String], limits: ImageLimits = .standard) {
        (self.paths, self.limits) = (paths, limits)
    }

    /// The photo at `path`, or, when it is a folder, those in it by their names: PNG, JPEG and GIF.
    ///
    /// - Throws: ``FrameSourceError`` `.notFound`, `.notPermitted`; `.unreadable` for a folder
    ///   without a photo.
    public init(at path: String, limits: ImageLimits = .standard) throws(FrameSourceError) {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw FrameSourceError(.notFound, "\(path): there is no such photo or folder")
        }
        guard isFolder.boolValue else {
            self.init([path], limits: limits)
            return
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw FrameSourceError(
                .notPermitted, "\(path): this folder may not be read by the present user")
        }
        let photos = names.filter {
            Self.kinds.contains(URL(filePath: $0).pathExtension.lowercased())
        }.sorted()
        guard !photos.isEmpty else {
            throw FrameSourceError(
                .unreadable, "\(path): no PNG, JPEG or GIF file is in this folder")
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
            if Task.isCancelled { throw FrameSourceError(.cancelled, "the task was cancelled") }
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
    /// What a photo that cannot be read is to a session.
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
#endif
