public import MienFace

/// A person in the store.
public struct EnrolledFace: Sendable, Equatable {
    public let id: FaceID
    public let name: PersonName
    public let template: FaceTemplate

    public init(id: FaceID, name: PersonName, template: FaceTemplate) {
        (self.id, self.name, self.template) = (id, name, template)
    }
}

/// Names a record and says nothing about whose it is: 16 random bytes.
public struct FaceID: Sendable, Hashable {
    static let size = 16, fileSuffix = ".face"

    let bytes: [UInt8]

    init(random: RandomSource) { bytes = random.bytes(Self.size) }

    /// The name of the record's file: 32 hexadecimal digits and `.face`.
    var fileName: String { hexadecimal(bytes) + Self.fileSuffix }

    /// - Returns: `nil` when this is no record's file name.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.fileSuffix),
            let bytes = MienVault.bytes(hexadecimal: fileName.dropLast(Self.fileSuffix.count)),
            bytes.count == Self.size
        else { return nil }
        self.bytes = bytes
    }
}

extension FaceID: CustomStringConvertible {
    public var description: String { hexadecimal(bytes) }
}

/// All there is in a store.
public struct FaceListing: Sendable, Equatable {
    /// By name, case aside.
    public let faces: [EnrolledFace]
    /// Files that should hold a face and cannot be read. By file name.
    public let damaged: [DamagedRecord]

    public init(faces: [EnrolledFace], damaged: [DamagedRecord]) {
        (self.faces, self.damaged) = (faces, damaged)
    }
}

/// A file in the store that does not open.
public struct DamagedRecord: Sendable, Equatable {
    /// The file's path. It holds no name of a person.
    public let path: String
    public let reason: RecordError

    public init(path: String, reason: RecordError) { (self.path, self.reason) = (path, reason) }
}

extension DamagedRecord: CustomStringConvertible {
    public var description: String { "\(path): \(reason)" }
}
