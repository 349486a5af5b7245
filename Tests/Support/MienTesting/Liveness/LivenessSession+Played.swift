import MienFace

extension LivenessSession {
    /// Plays `actor` to a session until it ends, or for 60 s.
    ///
    /// - Returns: The session and the readings it handled.
    public static func played(
        _ actor: some MadeActor, _ challenge: LivenessChallenge, settings: VerificationSettings,
        framesPerSecond: Int = 25
    ) -> (session: LivenessSession, readings: [FaceReading]) {
        var actor = actor, session = LivenessSession(challenge: challenge, settings: settings)
        var asked: LivenessAction?, readings: [FaceReading] = []
        for i in 0..<60 * framesPerSecond where session.refusals == nil {
            let reading = actor.reading(
                asked: asked, index: i, at: .seconds(1) * i / framesPerSecond)
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
                        of: Frame(image: image, time: .seconds(time)), index: i)
                ).action
        }
        return (session, frames)
    }
}
