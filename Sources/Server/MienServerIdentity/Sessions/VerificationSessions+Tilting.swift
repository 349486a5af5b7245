internal import Crypto
internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienDocument
internal import MienIdentity
internal import MienImage
internal import MienServerCore
internal import MienStore

/// Pictures of a document that is tilted.
extension VerificationSessions {
    /// Takes a series of pictures if it shows that reflections move. It is counted before it is
    /// decoded.
    ///
    /// As with every picture, the third one is taken whatever it shows, and the judgment decides.
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
        var hint: String?, isDecoded = true
        do {
            let check = try await previews.tilt(frames, front: front?.use { $0 }, of: id)
            hint = check.faults.first?.rawValue
        } catch is ImageError { (hint, isDecoded) = ("unreadable", false) }
        let images = frames.enumerated().map { k, bytes in
            AttemptImage(
                role: TiltSeries.role(k), sha256: Array(SHA256.hash(data: bytes)),
                content: Sensitive(bytes))
        }
        return try await change(id) { [hint, isDecoded] found, tables in
            if let hint, !isDecoded || found.record.session.reject(picture) {
                return VerificationPictureAnswer(
                    accepted: false,
                    recapture: .init(reasons: [RecaptureWord.poorImageQuality], hint: hint),
                    missingImages: found.record.session.missing.map { .known($0) })
            }
            try found.record.session.take(picture)
            // Of an earlier series, nothing stays.
            try tables.verificationSessions.drop(TiltSeries.roles, of: id)
            for image in images {
                try tables.verificationSessions.put(image, in: id, of: found.account)
            }
            return VerificationPictureAnswer(
                accepted: true,
                missingImages: found.record.session.missing.map { .known($0) })
        }
    }
}
