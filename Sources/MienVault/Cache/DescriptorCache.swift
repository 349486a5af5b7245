internal import Crypto
internal import Foundation
public import MienFace

/// Descriptors of photos that were worked on before, so that an evaluation which was interrupted goes on where it stopped.
///
/// Keyed by the photo's bytes and the pipeline that looked at them; one sealed file each. It may be deleted at any time. Descriptors are
/// biometric data: the files open only with the cache's own key file, and their names tell nothing of whose they are.
public struct DescriptorCache: Sendable {
    /// What is kept of one photo.
    public struct Entry: Sendable, Equatable {
        /// `nil` when the photo shows no face.
        public let descriptor: FaceDescriptor?
        /// 0...100.
        public let quality: UInt8

        public init(descriptor: FaceDescriptor?, quality: UInt8) { (self.descriptor, self.quality) = (descriptor, quality) }
    }

    private let folder: URL
    private let sealer: RecordSealer
    private let pipeline: [UInt8]

    /// Opens the cache in `folder`, and makes it when there is none.
    ///
    /// - Parameter pipeline: names everything a descriptor depends on besides the photo: the pack, its version, the crops.
    /// - Throws: ``FaceStoreError`` when its key file cannot be trusted or the folder cannot be made.
    public init(folder: String, pipeline: String) throws(FaceStoreError) {
        let files = POSIXFileSystem()
        do { try files.ensureFolder(folder) } catch { throw .files(error) }
        do throws(KeyFileError) {
            let key = try KeyFile(path: folder + "/key", files: files).loadOrCreate(sealedRecordsExist: false)
            sealer = RecordSealer(key: key, purpose: .evaluationDescriptor)
        } catch { throw .key(error) }
        self.folder = URL(filePath: folder, directoryHint: .isDirectory)
        self.pipeline = Array(pipeline.utf8)
    }

    /// What is known of the photo with these bytes; `nil` when nothing is, or the record cannot be read.
    public func entry(for photo: [UInt8]) -> Entry? {
        let name = name(of: photo)
        guard let sealed = try? Data(contentsOf: place(of: name)), let bytes = try? sealer.open([UInt8](sealed), identity: name) else {
            return nil
        }
        return Entry(bytes: bytes)
    }

    /// Keeps `entry`, whole or not at all. A cache that cannot be written costs time, no more: nothing is thrown.
    public func keep(_ entry: Entry, for photo: [UInt8]) {
        let name = name(of: photo), place = place(of: name)
        try? FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data(sealer.seal(entry.bytes, identity: name)).write(to: place, options: .atomic)
    }

    /// SHA-256 of the pipeline's name, a zero byte and the photo.
    private func name(of photo: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: pipeline + [0] + photo)) }

    private func place(of name: [UInt8]) -> URL {
        let text = hexadecimal(name)
        return folder.appending(path: String(text.prefix(2))).appending(path: String(text.dropFirst(2)))
    }
}

extension DescriptorCache.Entry {
    /// Quality, then the descriptor's numbers as 32-bit little-endian floats; none for no face.
    fileprivate var bytes: [UInt8] {
        var bytes = [quality]
        descriptor?.withValues { values in
            for i in values.indices {
                for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: values[i].bitPattern >> shift)) }
            }
        }
        return bytes
    }

    fileprivate init?(bytes: [UInt8]) {
        guard let quality = bytes.first, quality <= 100, bytes.count % 4 == 1 else { return nil }
        self.quality = quality
        guard bytes.count > 1 else {
            descriptor = nil
            return
        }
        let values = stride(from: 1, to: bytes.count, by: 4).map { i in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[i + $1]) << UInt32(8 * $1) })
        }
        guard let descriptor = try? FaceDescriptor(values) else { return nil }
        self.descriptor = descriptor
    }
}

extension SealPurpose {
    /// A descriptor kept by an evaluation.
    static let evaluationDescriptor = SealPurpose(label: "mien/v1/evaluation-descriptor")
}
