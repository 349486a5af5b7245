import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTools

/// Measures memory over long streams, faster than in real time. A session's data must not grow with
/// the stream.
struct SoakBench {
    let engine: FaceEngine
    let frame: [UInt8]

    struct Result: Encodable, Sendable {
        let frames: Int
        /// Consecutive sessions that ended, and those of them that were accepted.
        let sessions: Int
        let accepted: Int
        /// Resident memory in MiB, after the first tenth and after all frames.
        let beginMebibytes: Double
        let endMebibytes: Double
        let seconds: Double

        var growth: Double { endMebibytes - beginMebibytes }
    }

    /// Runs an hour of frames at ten per second through consecutive sessions in passive mode. One
    /// real reading is made to breathe and, every five seconds, to blink.
    func sessions(frames: Int = 36_000) async throws -> Result {
        let face = try await face()
        let settings = try VerificationSettings(qualityThreshold: 0)
        return try await watch(frames) { step in
            var verification = try FaceVerification(capture: Self.capture, settings: settings)
            var sessions = 0, accepted = 0
            let entry = try FaceTemplate.Entry(
                descriptor: FaceDescriptor([1, 0]), quality: 80, pose: .frontal)
            for i in 0..<frames {
                _ = verification.handle(reading(face, i, lidsDown: (48...49).contains(i % 50)))
                if verification.wantsExtraction {
                    verification.extracted(entry, score: MatchScore(60))
                }
                if let verdict = verification.verdict {
                    sessions += 1
                    if verdict.isAccepted { accepted += 1 }
                    verification = try FaceVerification(capture: Self.capture, settings: settings)
                }
                step(i)
            }
            return (sessions, accepted)
        }
    }

    /// Runs the same hour in one session, in which nobody keeps still.
    func oneSession(frames: Int = 36_000) async throws -> Result {
        let face = try await face()
        let settings = try VerificationSettings(qualityThreshold: 0, timeout: .seconds(3600))
        return try await watch(frames) { step in
            var verification = try FaceVerification(capture: Self.capture, settings: settings)
            for i in 0..<frames {
                // The face is still for half a second, and then the eyes close.
                _ = verification.handle(reading(face, i, lidsDown: i % 6 == 5))
                step(i)
            }
            return (verification.verdict == nil ? 0 : 1, 0)
        }
    }

    /// Runs JPEG frames through the whole pipeline and a session, which is as realistic as possible
    /// without a camera.
    func pipeline(frames: Int) async throws -> Result {
        let settings = try VerificationSettings(qualityThreshold: 0), started = ContinuousClock.now
        var begin = Memory.residentMebibytes, sessions = 0
        var verification = try FaceVerification(
            capture: Self.capture, settings: settings, comparesFaces: false)
        for i in 0..<frames {
            var image = try ImageDecoder.decode(frame)
            // Makes every picture different.
            image[i % image.width, 0] = RGBColor(UInt8(i & 255), UInt8(i >> 8 & 255), 7)
            let reading = try await engine.reading(
                of: Frame(image: image, time: .milliseconds(100 * i)), index: i)
            _ = verification.handle(reading)
            if verification.wantsExtraction {
                verification.extracted(try await engine.entry(of: reading), score: nil)
            }
            if verification.verdict != nil {
                sessions += 1
                verification = try FaceVerification(
                    capture: Self.capture, settings: settings, comparesFaces: false)
            }
            if i == frames / 10 { begin = Memory.residentMebibytes }
        }
        return Result(
            frames: frames, sessions: sessions, accepted: 0, beginMebibytes: begin,
            endMebibytes: Memory.residentMebibytes,
            seconds: (ContinuousClock.now - started) / .seconds(1))
    }

    private func watch(
        _ frames: Int, _ body: (_ step: (Int) -> Void) throws -> (sessions: Int, accepted: Int)
    ) async throws -> Result {
        let started = ContinuousClock.now
        var begin = Memory.residentMebibytes
        let (sessions, accepted) = try body {
            if $0 == frames / 10 { begin = Memory.residentMebibytes }
        }
        return Result(
            frames: frames, sessions: sessions, accepted: accepted, beginMebibytes: begin,
            endMebibytes: Memory.residentMebibytes,
            seconds: (ContinuousClock.now - started) / .seconds(1))
    }

    private func reading(_ face: LiveFace, _ index: Int, lidsDown: Bool) -> FaceReading {
        let picture = Frame(
            image: RGBImage(width: 1, height: 1, filledWith: .black),
            time: .milliseconds(100 * index))
        return FaceReading(
            index: index, frame: picture, contentHash: UInt64(index), faceCount: 1,
            face: LivingFace.moment(of: face, at: index, lidsDown: lidsDown))
    }

    private func face() async throws -> LiveFace {
        let reading = try await engine.reading(
            of: Frame(image: try ImageDecoder.decode(frame), time: .zero), index: 0)
        guard let face = reading.face else {
            throw Failure(
                .badInput, QualityReason.noFace.rawValue, "no face was found in the demo photo")
        }
        return face
    }

    private static var capture: CaptureID {
        var generator = SystemRandomNumberGenerator()
        return .random(using: &generator)
    }
}

/// Memory of this process.
enum Memory {
    /// Resident memory in MiB; 0 if the system does not report it.
    static var residentMebibytes: Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
            .map { $0 / 1024 } ?? 0
    }
}
