internal import Crypto
internal import MienAPI
internal import MienCore
internal import MienDocument
internal import MienIdentity
internal import MienMedia
internal import MienStore

/// Pictures of a document that is tilted.
extension VerificationSessions {
    /// Takes a series of pictures if it shows that reflections move. It is counted before it is
    /// decoded.
    ///
    /// As with every picture, the third one that shows a document is taken, and the judgment decides.
    ///
    /// - Throws: ``Problem``; ``ServerBusy``.
    func putTilt(_ frames: [[UInt8]], in id: IdentityAttemptID) async throws
        -> VerificationPictureAnswer
    {
        let picture = SessionPicture.documentTilt
        let front = try await change(id) { found, tables in
            try found.record.session.receive(picture)
            return try tables.verificationSessions.image(
                SessionPicture.documentFront.role, of: id, of: found.account)?.content
        }
        var hint: String?, isShown = true, stored: [[UInt8]] = []
        do {
            let check: ReflectionCheck
            (check, stored) = try await previews.tilt(frames, front: front?.use { $0 }, of: id)
            hint = check.faults.first?.rawValue
            isShown = hint != ReflectionCheck.Fault.noDocument.rawValue
        } catch is ImageError { (hint, isShown) = ("unreadable", false) }
        let images = stored.enumerated().map { k, bytes in
            AttemptImage(
                role: TiltSeries.role(k), sha256: Array(SHA256.hash(data: bytes)),
                content: Sensitive(bytes))
        }
        let origin = originHash, room = room
        return try await change(id) { [hint, isShown] found, tables in
            if let hint, found.record.session.reject(picture) || !isShown {
                return Self.refusal(.poorImageQuality, hint, found)
            }
            try found.record.session.take(picture)
            // Remove everything that an earlier series left.
            try tables.verificationSessions.drop(TiltSeries.roles, of: id)
            try room.require(images, in: found.record, from: origin, tables)
            for image in images {
                try tables.verificationSessions.put(image, in: id, of: found.account)
            }
            return VerificationPictureAnswer(
                accepted: true,
                missingImages: found.record.session.missing.map { .known($0) })
        }
    }
}
