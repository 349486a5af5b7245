import Foundation
import MienMedia
import Testing

@Suite("Image files")
struct ImageFileTests {
    /// Runs `body` with the path of a temporary file that contains `bytes`.
    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "mien-\(UUID().uuidString).image"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func failure(_ path: String, limits: ImageLimits = .standard) -> ImageFileError? {
        do { _ = try ImageFile.decode(path, limits: limits) } catch { return error }
        return nil
    }

    @Test("a file is decoded regardless of its name")
    func decodes() throws {
        let vector = Vector.named("PNG/rgb8.png")
        try withFile(vector.bytes) { path in
            let (image, bytes) = (try ImageFile.decode(path), try ImageFile.read(path))
            #expect(image == vector.image && bytes == vector.bytes)
        }
    }

    @Test("the error for a missing file names it")
    func missing() throws {
        let error = try #require(failure("/nowhere/face.jpg"))
        #expect(error.reason == .notFound && error.code == "file.not-found")
        #expect("\(error)" == "/nowhere/face.jpg: the file does not exist. Check the path.")
    }

    @Test("the error for a directory names it")
    func directory() throws {
        let error = try #require(failure("/tmp"))
        #expect(error.reason == .isDirectory && error.code == "file.is-directory")
        #expect("\(error)" == "/tmp: this is a directory. Specify one PNG, JPEG, or GIF file.")
    }

    @Test("an error in a file's contents names the file")
    func inside() throws {
        try withFile(Array("%PDF-1.7".utf8)) { path in
            let error = try #require(failure(path))
            #expect(
                error.reason == .image(.unsupportedType("a PDF document"))
                    && error.code == "image.unsupported-type")
            #expect("\(error)".hasPrefix("\(path): This is a PDF document"))
        }
        try withFile([]) { #expect(failure($0)?.reason == .image(.empty)) }
    }

    @Test("a file over the limit is rejected by size without reading")
    func big() throws {
        try withFile([]) { path in
            truncate(path, 1 << 40)  // one sparse terabyte
            #expect(
                failure(path)?.reason == .image(.tooManyBytes(count: 1 << 40, limit: 16_777_216)))
        }
        let bytes = Vector.named("PNG/rgb8.png").bytes
        try withFile(bytes) { path in
            #expect(failure(path, limits: ImageLimits(maxBytes: bytes.count)) == nil)
            #expect(
                failure(path, limits: ImageLimits(maxBytes: bytes.count - 1))?.code
                    == "image.too-many-bytes")
        }
    }

    @Test("a pipe or a device is rejected without waiting", .timeLimit(.minutes(15)))
    func special() throws {
        let pipe = NSTemporaryDirectory() + "mien-\(UUID().uuidString).jpg"
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: pipe) }
        for path in [pipe, "/dev/zero"] {
            let error = try #require(failure(path))
            #expect(
                error.reason == .notRegular && error.code == "file.not-regular"
                    && "\(error)".hasPrefix("\(path): "))
        }
    }
}
