public import MienCore
public import MienFace

/// A person enrolled in the store.
public struct EnrolledFace: Sendable, Equatable {
    public let id: FaceID
    public let name: PersonName
    public let template: FaceTemplate
    /// The template of another model pack that ``template`` replaced; `nil` if it has none or it has
    /// been erased.
    public let former: FormerTemplate?

    public init(
        id: FaceID, name: PersonName, template: FaceTemplate, former: FormerTemplate? = nil
    ) {
        (self.id, self.name, self.template, self.former) = (id, name, template, former)
    }
}

/// A replaced template. It is kept for a while, and nothing is compared with it.
public struct FormerTemplate: Sendable, Equatable {
    public let template: FaceTemplate
    /// The time from which on it is to be erased.
    public let keptUntil: Instant

    public init(template: FaceTemplate, keptUntil: Instant) {
        (self.template, self.keptUntil) = (template, keptUntil)
    }
}

/// A record's identifier: 16 random bytes that do not reveal the person.
public struct FaceID: Sendable, Hashable {
    static let size = 16, fileSuffix = ".face"

    let bytes: [UInt8]

    init(random: RandomSource) { bytes = random.bytes(Self.size) }

    /// The record's file name: 32 hexadecimal digits and `.face`.
    var fileName: String { hexadecimal(bytes) + Self.fileSuffix }

    /// - Returns: `nil` if this is not a record's file name.
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

/// The contents of a store.
public struct FaceListing: Sendable, Equatable {
    /// The enrolled people, sorted by name, ignoring case.
    public let faces: [EnrolledFace]
    /// Files that should contain a face but cannot be read, sorted by file name.
    public let damaged: [DamagedRecord]

    public init(faces: [EnrolledFace], damaged: [DamagedRecord]) {
        (self.faces, self.damaged) = (faces, damaged)
    }
}

/// A record in the store that cannot be opened.
public struct DamagedRecord: Sendable, Equatable {
    /// The file's path, which does not contain a person's name.
    public let path: String
    public let reason: RecordError

    public init(path: String, reason: RecordError) { (self.path, self.reason) = (path, reason) }
}

extension DamagedRecord: CustomStringConvertible {
    public var description: String { "\(path): \(reason)" }
}
