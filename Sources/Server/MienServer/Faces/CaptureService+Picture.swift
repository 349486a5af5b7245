package import MienCore
internal import MienFace
internal import MienJourney
package import MienStore

/// Selfies that are compared with a document, outside of journeys.
extension CaptureService {
    /// The result of such a selfie.
    package enum Selfie: Sendable {
        case unfinished
        /// It failed, was canceled, or is over.
        case refused
        /// - Parameters:
        ///   - picture: A frame, as it is stored.
        ///   - template: The template of a live person; `nil` if a picture was enough.
        case passed(picture: Sensitive<[UInt8]>, template: Sensitive<[UInt8]>?)
    }

    /// Opens a capture that keeps a picture.
    ///
    /// - Parameter owner: Identifies what the capture is for, in place of a run.
    package func openSelfie(for owner: InstanceID, app: AppRecord, signedIn: UserID?) async throws
        -> (CaptureID, startToken: String)
    {
        try await open(
            CaptureRequest(purpose: .registration, liveness: LivenessPolicy()),
            for: CaptureOrigin(run: owner, app: app, device: nil, signedIn: signedIn),
            keepsPicture: true)
    }

    /// Removes the picture of a capture, which stays for a later step of its run.
    package func dropPicture(of id: CaptureID) async throws {
        try await inTurn(id) { record, content in
            guard content.picture != nil else { return }
            var content = content
            content.picture = nil
            try await self.records.write(record, content, from: record, [:])
        }
    }

    /// Reads the result. The picture stays with the capture until ``remove(_:)``, or until its time
    /// is over.
    package func selfie(_ id: CaptureID, of owner: InstanceID, app: AppRecord) async throws
        -> Selfie
    {
        switch try await outcome(id, run: owner, app: app) {
        case .failure(let error) where error.code == .captureUnfinished: return .unfinished
        case .failure: return .refused
        case .success(let passed):
            guard let record = try await store.read({ try $0.captures.find(id) }),
                let picture = try Self.opened(record).picture.flatMap({ Base64URL.decode($0) })
            else { return .refused }
            return .passed(
                picture: Sensitive(picture),
                template: passed.mode == .image ? nil : Sensitive(passed.template.bytes))
        }
    }
}
