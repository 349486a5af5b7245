package import Logging
internal import MienCore
internal import MienFace
internal import Synchronization

/// Counts the match scores of face logins by app and camera, and reports when those of one become
/// lower.
///
/// Counts only bands of scores. Apps beyond the first ``maxApps`` are counted together.
package final class FaceMonitor: Sendable {
    /// The number of apps with labels of their own, which bounds the number of series.
    static let maxApps = 50

    private struct Source: Hashable {
        let app: String
        let camera: CameraClass
    }

    private struct State {
        var apps: Set<AppID> = []
        var drifts: [Source: ScoreDrift] = [:]
    }

    private let metrics: Metrics
    private let logger: Logger
    private let state = Mutex(State())

    package init(metrics: Metrics, logger: Logger) {
        (self.metrics, self.logger) = (metrics, logger)
    }

    /// Returns the label of an app: its ID, or `other`.
    func label(of app: AppID) -> String {
        state.withLock { state in
            if state.apps.count < Self.maxApps { state.apps.insert(app) }
            return state.apps.contains(app) ? app.text : "other"
        }
    }

    /// Counts the score of a face that was compared with the named user's.
    func compared(_ score: MatchScore, app: AppID, camera: CameraClass) {
        let source = Source(app: label(of: app), camera: camera)
        metrics.count(
            .faceScores,
            [
                "app": source.app, "camera": camera.rawValue,
                "from": "\(ScoreBand(score).lowest)",
            ])
        let falls: Bool? = state.withLock { state in
            var drift = state.drifts[source] ?? ScoreDrift()
            defer { state.drifts[source] = drift }
            return drift.add(score) ? drift.isFalling : nil
        }
        guard let falls else { return }
        metrics.set(
            .faceScoreDrift, to: falls ? 1 : 0, ["app": source.app, "camera": camera.rawValue])
        let place: Logger.Metadata = [
            "app": .string(source.app), "camera": .string(camera.rawValue),
        ]
        if falls {
            logger.warning(
                "face match scores have become lower; check this app's cameras and light, and whether its people should enroll again",
                metadata: place)
        } else {
            logger.notice("face match scores have recovered", metadata: place)
        }
    }
}
