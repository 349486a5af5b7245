internal import Crypto
internal import MienCore
public import MienFace

/// Cached descriptors of photos, so that an interrupted evaluation can resume.
///
/// Entries are keyed by the photo's bytes and the pipeline. Each is one sealed file with mode 0600.
/// The cache may be deleted at any time. Descriptors are biometric data: the files open only with
/// the cache's own key file, stored elsewhere, and their names do not reveal the person. Safe to
/// use from any thread and from several processes at once. `docs/spec/sealed-record.md` describes
/// the format.
public struct DescriptorCache: Sendable {
    /// The cached data of one photo.
    public struct Entry: Sendable, Equatable {
        /// The descriptor; `nil` if the photo shows no face.
        public let descriptor: FaceDescriptor?
        /// The quality, 0...100.
        public let quality: UInt8

        public init(descriptor: FaceDescriptor?, quality: UInt8) {
            (self.descriptor, self.quality) = (descriptor, quality)
        }
    }

    private let folder: String
    private let files: any FileSystem
    private let random: RandomSource
    private let sealer: RecordSealer
    private let pipeline: [UInt8]

    private static let maximumFileSize =
        RecordSealer.overhead + 1 + 4 * FaceDescriptor.dimensionRange.upperBound

    private init(
        folder: String, pipeline: String, key: MasterKey, files: any FileSystem,
        random: RandomSource
    ) {
        (self.folder, self.files, self.random, self.pipeline) = (
            folder, files, random, Array(pipeline.utf8)
        )
        sealer = RecordSealer(key: key, purpose: .evaluationDescriptor, random: random)
    }

    /// Opens the cache. Creates the folder, with mode 0700, and the key file if they do not exist.
    /// A lost key is replaced; records sealed with it then count as missing.
    ///
    /// - Parameters:
    ///   - keyPath: a path outside `folder`, so that a copy of the folder cannot be opened.
    ///   - pipeline: identifies everything besides the photo that affects a descriptor: the pack,
    ///     its version, the crops.
    /// - Throws: ``FaceStoreError`` if the key file cannot be trusted or the folder cannot be
    ///   created.
    public static func open(
        folder: String, keyPath: String, pipeline: String,
        files: any FileSystem = POSIXFileSystem(), random: RandomSource = .system
    ) throws(FaceStoreError) -> DescriptorCache {
        let lock: any FileLock
        do throws(FileSystemError) {
            try files.ensureFolder(folder)
            lock = try files.lock("\(folder)/lock", .exclusive)
        } catch { throw .files(error) }
        defer { lock.release() }
        let cache: DescriptorCache
        do throws(KeyFileError) {
            let key = try KeyFile(path: keyPath, files: files).loadOrCreate(
                sealedRecordsExist: false, random: random)
            cache = DescriptorCache(
                folder: folder, pipeline: pipeline, key: key, files: files, random: random)
        } catch { throw .key(error) }
        cache.sweep()
        return cache
    }

    /// Returns the entry for the photo with these bytes; `nil` if there is none, or the record
    /// cannot be read or was changed.
    public func entry(for photo: [UInt8]) -> Entry? {
        let name = name(of: photo)
        guard let file = try? files.read(path(of: name), atMost: Self.maximumFileSize),
            file.isRegular, file.size <= Self.maximumFileSize,
            let bytes = try? sealer.open(file.bytes, identity: name)
        else { return nil }
        return Entry(bytes: bytes)
    }

    /// Stores `entry` atomically. A failed write only costs time later, so nothing is thrown.
    public func keep(_ entry: Entry, for photo: [UInt8]) {
        let name = name(of: photo), path = path(of: name), parent = parentFolder(of: path)
        _ = try? files.makeFolder(parent)
        try? files.replaceFile(
            path, with: sealer.seal(entry.bytes, identity: name), random: random)
    }

    /// Removes temporary files. If another process is writing one, that process loses one cache
    /// entry.
    private func sweep() {
        for name in (try? files.list(folder) ?? []) ?? [] where name.utf8.count == 2 {
            try? files.sweep("\(folder)/\(name)")
        }
    }

    /// Returns the SHA-256 of the pipeline's name, a zero byte, and the photo.
    private func name(of photo: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        for part in [pipeline, [0], photo] { hash.update(data: part) }
        return Array(hash.finalize())
    }

    private func path(of name: [UInt8]) -> String {
        let text = hexadecimal(name)
        return "\(folder)/\(text.prefix(2))/\(text.dropFirst(2))"
    }
}

extension DescriptorCache.Entry {
    /// The quality, then the descriptor's values as 32-bit little-endian floats; no values if there
    /// is no face.
    fileprivate var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put([quality])
        descriptor?.withValues { values in
            for i in values.indices { writer.put(integer: values[i].bitPattern) }
        }
        return writer.bytes
    }

    fileprivate init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let quality = reader.integer(UInt8.self), quality <= 100, reader.remaining % 4 == 0
        else { return nil }
        self.quality = quality
        guard reader.remaining > 0 else {
            descriptor = nil
            return
        }
        var values: [Float] = []
        while let bits = reader.integer(UInt32.self) { values.append(Float(bitPattern: bits)) }
        guard let descriptor = try? FaceDescriptor(values) else { return nil }
        self.descriptor = descriptor
    }
}
