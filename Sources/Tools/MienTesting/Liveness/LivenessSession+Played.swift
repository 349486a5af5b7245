public import MienFace
public import MienPixels

extension LivenessSession {
    /// Plays `actor` to a session until it ends, or for 60 s.
    ///
    /// - Parameter following: Whether faces are only followed where the session allows it, as the
    ///   pipeline does. Otherwise, all frames are examined.
    /// - Returns: The session and the readings it handled.
    public static func played(
        _ actor: some MadeActor, _ challenge: LivenessChallenge, settings: VerificationSettings,
        framesPerSecond: Int = 25, following: Bool = false
    ) -> (session: LivenessSession, readings: [FaceReading]) {
        var actor = actor, session = LivenessSession(challenge: challenge, settings: settings)
        var asked: LivenessAction?, readings: [FaceReading] = []
        for i in 0..<60 * framesPerSecond where session.refusals == nil {
            var reading = actor.reading(
                asked: asked, index: i, at: .seconds(1) * i / framesPerSecond)
            if following, session.request.isFollowed(reading.face, at: reading.time) {
                reading = FaceReading(
                    index: i, frame: reading.frame, contentHash: reading.contentHash,
                    faceCount: reading.faceCount, face: reading.face?.followed)
            }
            readings.append(reading)
            asked = session.handle(reading).action
        }
        return (session, readings)
    }
}

extension LivenessSession {
    /// Plays `actor`'s pictures, as read by the pipeline, to a session until it ends or the time is
    /// up.
    ///
    /// - Returns: The session, and the pictures if they are to be kept.
    public static func played(
        _ actor: some LivenessActor, _ challenge: LivenessChallenge, settings: VerificationSettings,
        framesPerSecond: Double, seconds: Double = 40,
        reader: some LiveFaceReader, keepingFrames: Bool = false
    ) async throws -> (session: LivenessSession, frames: [RGBImage]) {
        var actor = actor, session = LivenessSession(challenge: challenge, settings: settings)
        var asked: LivenessAction?, frames: [RGBImage] = []
        for i in 0..<Int(seconds * framesPerSecond) where session.refusals == nil {
            let time = Double(i) / framesPerSecond, image = actor.image(asked: asked, at: time)
            if keepingFrames { frames.append(image) }
            asked =
                session.handle(
                    try await reader.reading(
                        of: Frame(image: image, time: .seconds(time)), index: i,
                        for: session.request)
                ).action
        }
        return (session, frames)
    }
}
