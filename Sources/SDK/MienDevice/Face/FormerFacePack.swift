public import MienCore
public import MienFace

/// A model pack beside the one in use, for people whose faces it enrolled. It recognizes them until
/// they have been migrated to the pack in use.
public struct FormerFacePack: Sendable {
    public let packID: PackID
    package let matcher: FaceMatcher
    private let reader: any LiveFaceReader

    /// - Parameters:
    ///   - matcher: The pack's matcher.
    ///   - reader: Runs the pack's networks: a `FaceEngine`.
    public init(packID: PackID, matcher: FaceMatcher, reader: some LiveFaceReader) {
        (self.packID, self.matcher, self.reader) = (packID, matcher, reader)
    }

    /// Describes the face that the pack in use found.
    ///
    /// - Returns: `nil` if this pack finds no face there: the person who was judged to be live must
    ///   be the one who is compared.
    package func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry? {
        guard let face = reading.face else { return nil }
        let found = try await reader.reading(of: reading.frame, index: reading.index)
        guard let box = found.face?.box, box.overlap(face.box) >= TemplateMigration.sameFaceOverlap
        else { return nil }
        do { return try await reader.entry(of: found) } catch is FaceModelError { return nil }
    }
}

/// The descriptions of one frame by former packs.
actor FormerDescriptions {
    private let packs: [FormerFacePack]
    private var entries: [PackID: FaceTemplate.Entry] = [:]

    init(_ packs: [FormerFacePack]) { self.packs = packs }

    /// - Returns: whether all packs found the face.
    func describe(_ reading: FaceReading) async throws -> Bool {
        entries = [:]
        for pack in packs {
            guard let entry = try await pack.entry(of: reading) else { return false }
            entries[pack.packID] = entry
        }
        return true
    }

    func templates(createdAt: Instant) throws(FaceTemplateError) -> [FaceTemplate] {
        var templates: [FaceTemplate] = []
        for (packID, entry) in entries {
            templates.append(
                try FaceTemplate(entries: [entry], packID: packID, createdAt: createdAt))
        }
        return templates
    }
}
