internal import Crypto
package import MienAPI
internal import MienCore
internal import MienIdentity
internal import MienStore

/// The selfies of sessions.
extension VerificationSessions {
    /// Opens a live capture for the selfie. An earlier one of the session ends.
    package func selfie(_ token: String) async throws -> VerificationSelfieAnswer {
        let found = try await find(token), id = found.record.id
        if found.record.owner == .journey {
            // The run has one selfie, with its own requirements.
            return try await change(id) { found, _ in
                try found.record.session.receive(.selfie)
                guard let token = SessionContent(found.record.content)?.captureToken else {
                    throw Problem(.captureClosed, "The selfie was taken, or has failed.")
                }
                return VerificationSelfieAnswer(startToken: token)
            }
        }
        let former = try await change(id) { found, _ in
            try found.record.session.receive(.selfie)
            return SessionContent(found.record.content)?.capture
        }
        if let former { try await captures.remove(former) }
        let (capture, startToken) = try await captures.openSelfie(
            for: Self.captureOwner(id), app: found.app, signedIn: found.account?.id)
        do {
            try await change(id) { found, _ in
                var content = SessionContent(found.record.content) ?? SessionContent()
                content.capture = capture
                found.record.content = content.sealed
            }
        } catch {
            // The session ended meanwhile without a reference to the capture, so remove the capture
            // here.
            try await captures.remove(capture)
            throw error
        }
        return VerificationSelfieAnswer(startToken: startToken)
    }

    /// Stands for the run to which a capture belongs.
    private static func captureOwner(_ session: IdentityAttemptID) -> InstanceID {
        InstanceID(session.text)!
    }

    /// Takes the picture of a selfie that has passed since.
    func refreshed(_ found: Found) async throws -> Found {
        let record = found.record, isOfRun = record.owner == .journey
        var found = found
        guard !found.record.session.expire(at: clock.now), record.session.status.isOpen,
            let capture = SessionContent(record.content)?.capture,
            !isOfRun || !record.session.captured.contains(.selfie)
        else { return found }
        let picture: Sensitive<[UInt8]>, template: Sensitive<[UInt8]>?
        switch try await captures.selfie(
            capture, of: record.run ?? Self.captureOwner(record.id), app: found.app)
        {
        case .passed(let taken, let made): (picture, template) = (taken, made)
        case .refused where isOfRun: return try await end(record.id)
        case .refused, .unfinished: return found
        }
        func image(_ role: String, _ content: Sensitive<[UInt8]>) -> AttemptImage {
            AttemptImage(
                role: role, sha256: content.use { Array(SHA256.hash(data: $0)) },
                content: content)
        }
        var images = [image(SessionPicture.selfie.role, picture)]
        if let template { images.append(image(DocumentInput.templateRole, template)) }
        let origin = originHash, room = room
        let changed = try await change(record.id) { [images] found, tables in
            guard var content = SessionContent(found.record.content), content.capture == capture
            else { return found }
            content.captureToken = nil
            if !isOfRun { content.capture = nil }
            found.record.content = content.sealed
            try found.record.session.take(.selfie)
            // Remove everything that an earlier selfie left.
            try tables.verificationSessions.drop(
                [SessionPicture.selfie.role, DocumentInput.templateRole], of: record.id)
            try room.require(images, in: found.record, from: origin, tables)
            for image in images {
                try tables.verificationSessions.put(image, in: record.id, of: found.account)
            }
            return found
        }
        // A journey may need the template of the same face.
        try await isOfRun ? captures.dropPicture(of: capture) : captures.remove(capture)
        return try await store.read { try Self.find(record.id, $0) } ?? changed
    }
}
