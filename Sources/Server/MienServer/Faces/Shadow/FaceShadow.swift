internal import Logging
internal import MienAPI
package import MienCore
package import MienFace
package import MienStore

/// Shadow mode: judges face logins a second time, by another model pack or threshold, and live
/// captures by another policy of the presentation check. Counts how these decisions differ from the
/// real ones. Decides nothing, and no failure of it reaches a client.
///
/// The second pack describes the same pictures and keeps templates of its own. They are sealed with
/// the person's key and deleted with the face they belong to.
package final class FaceShadow: Sendable {
    /// The number of photos that a second template is made of, unless the first one has fewer.
    static let photos = LiveJudgment.framesToEnroll

    private let store: Store
    private let metrics: Metrics
    private let monitor: FaceMonitor
    private let clock: ServerClock
    private let threshold: MatchScore?
    private let faces: FaceService?
    private let presentation: ShadowPresentation?

    /// - Parameters:
    ///   - threshold: The second threshold; `nil` for none.
    ///   - faces: The second pack; `nil` for none.
    ///   - presentation: The second policy of the presentation check; `nil` for none.
    package init(
        store: Store, metrics: Metrics, monitor: FaceMonitor, clock: ServerClock,
        threshold: MatchScore?, faces: FaceService?, presentation: ShadowPresentation?
    ) {
        (self.store, self.metrics, self.monitor, self.clock) = (store, metrics, monitor, clock)
        (self.threshold, self.faces, self.presentation) = (threshold, faces, presentation)
    }

    /// Deletes the templates of packs that no longer run in shadow mode.
    package func deleteOthers() async throws {
        let pack = faces?.packID
        try await store.write { _ = try $0.shadowTemplates.deleteAll(except: pack) }
    }

    // MARK: Captures

    /// Returns the mode in which sessions run the presentation check. One that the server has turned
    /// off is measured for the shadow.
    func presentation(besides active: PresentationMode) -> PresentationMode {
        active == .off && presentation != nil ? .observe : active
    }

    /// Judges and counts a live capture that was decided.
    ///
    /// - Parameters:
    ///   - checks: `nil` if the capture ended without a verdict of its own; it is not counted.
    ///   - refusals: The reasons of the real decision.
    func judge(
        _ checks: [LivenessCheckResult]?, refusals: [String], isAccepted: Bool, app: AppID,
        camera: CameraClass?
    ) {
        guard let presentation, let checks else { return }
        let decision = presentation.decision(about: checks, refusals: refusals)
        count(
            "presentation", app: app, camera: camera ?? .other, isAccepted: isAccepted,
            decision.rawValue)
    }

    /// Describes the main face of a picture that a capture took. `nil` without a second pack, or if
    /// it fails.
    func entry(of picture: [UInt8], for share: WorkShare) async -> FaceTemplate.Entry? {
        guard let faces else { return nil }
        return try? await faces.look(at: picture, minQuality: 0, isScored: false, for: share).entry
    }

    /// Returns the second pack's template of a capture's entries, of which only the last ones are
    /// kept; `nil` if there are none.
    func template(of entries: [FaceTemplate.Entry]) -> FaceTemplate? {
        guard let faces, !entries.isEmpty else { return nil }
        return try? FaceTemplate(
            entries: Array(entries.suffix(FaceTemplate.entryRange.upperBound)),
            packID: faces.packID, createdAt: clock.now)
    }

    // MARK: Faces

    /// Returns the record to store with a face that is registered from a capture; `nil` for none.
    package func record(of passed: CaptureService.Passed, for face: AuthenticatorID)
        -> ShadowTemplateRecord?
    {
        passed.shadow.map {
            ShadowTemplateRecord(authenticator: face, pack: $0.packID, template: $0.bytes)
        }
    }

    /// Judges and counts a login that was decided.
    ///
    /// - Parameters:
    ///   - template: The registered face, as the active pack describes it.
    ///   - score: The score of the two in the active pack.
    ///   - minScore: The threshold that was applied to it.
    package func judge(
        _ passed: CaptureService.Passed, against template: FaceTemplate, of face: AuthenticatorID,
        _ account: AccountRecord, score: MatchScore, minScore: MatchScore
    ) async {
        monitor.compared(score, app: passed.app, camera: passed.camera)
        let isAccepted = score >= minScore
        if let threshold {
            count("threshold", passed, isAccepted, score >= threshold ? .accepted : .refused)
        }
        guard let faces else { return }
        guard let probe = passed.shadow, probe.packID == faces.packID else {
            return count("pack", passed, isAccepted, .failed)
        }
        do {
            let record = try await store.read {
                try $0.shadowTemplates.find(face, of: account, pack: faces.packID)
            }
            let known = try record.map { try $0.template.use { try FaceTemplate(bytes: $0) } }
            let wanted = min(Self.photos, template.entries.count)
            if let known, known.entries.count >= wanted {
                let score = try faces.score([probe], against: known) ?? MatchScore(0)
                return count("pack", passed, isAccepted, score >= minScore ? .accepted : .refused)
            }
            if isAccepted {
                let entries = (known?.entries ?? []) + probe.entries.prefix(1)
                let more = ShadowTemplateRecord(
                    authenticator: face, pack: faces.packID,
                    template: try FaceTemplate(
                        entries: entries, packID: faces.packID, createdAt: clock.now
                    ).bytes)
                try await store.write(.process) { try $0.shadowTemplates.put(more, of: account) }
            }
            count("pack", passed, isAccepted, .learning)
        } catch {
            // The face may just have been removed. The login has been decided in any case.
            count("pack", passed, isAccepted, .failed)
        }
    }

    /// Does about the work of ``judge(_:against:of:_:score:minScore:)`` for a face that does not
    /// exist.
    package func pretend(_ passed: CaptureService.Passed) async {
        guard let faces, let probe = passed.shadow else { return }
        _ = try? faces.score([probe], against: probe)
    }

    /// A second decision.
    private enum Decision: String {
        case accepted, refused
        /// The second template does not have enough photos yet.
        case learning
        /// The second pack could not describe the capture.
        case failed
    }

    private func count(
        _ policy: String, _ passed: CaptureService.Passed, _ isAccepted: Bool, _ shadow: Decision
    ) {
        count(
            policy, app: passed.app, camera: passed.camera, isAccepted: isAccepted, shadow.rawValue)
    }

    private func count(
        _ policy: String, app: AppID, camera: CameraClass, isAccepted: Bool, _ shadow: String
    ) {
        metrics.count(
            .faceShadow,
            [
                "policy": policy, "app": monitor.label(of: app), "camera": camera.rawValue,
                "active": isAccepted ? "accepted" : "refused", "shadow": shadow,
            ])
    }
}
