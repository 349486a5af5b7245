import Foundation
import MienImage
import MienJourney

/// Journeys and recorded tests in files. Every error names the file, the place in it, and what is
/// allowed.
enum JourneyFile {
    static func definition(_ path: String) throws -> JourneyDefinition { try source(path).journey }

    /// A journey, and the file's bytes as they are.
    static func source(_ path: String) throws -> (journey: JourneyDefinition, bytes: [UInt8]) {
        let bytes = try read(path, limit: JourneyDefinition.maxBytes, code: "journey.malformed")
        do { return (try JourneyDefinition.parse(bytes), bytes) } catch {
            throw Failure(.badInput, "journey.malformed", "\(path): \(error)")
        }
    }

    /// A recorded test, and the journey it is about.
    static func test(_ path: String) throws -> (test: RecordedTest, journey: JourneyDefinition) {
        let bytes = try read(path, limit: RecordedTest.maxBytes, code: "journey.test-malformed")
        let test: RecordedTest
        do { test = try RecordedTest.parse(bytes) } catch {
            throw Failure(.badInput, "journey.test-malformed", "\(path): \(error)")
        }
        switch test.journey {
        case .path(let relative):
            let folder = URL(filePath: path).deletingLastPathComponent()
            return (test, try definition(URL(filePath: relative, relativeTo: folder).path))
        case .inline(let value):
            do { return (test, try JourneyDefinition(value)) } catch {
                throw Failure(.badInput, "journey.malformed", "\(path): journey.\(error)")
            }
        }
    }

    private static func read(_ path: String, limit: Int, code: String) throws -> [UInt8] {
        do { return try ImageFile.read(path, limits: ImageLimits(maxBytes: limit)) } catch {
            // A size is a matter of journeys here, not of photos; what the file system says is the
            // same for all.
            guard error.code.hasPrefix("image.") else { throw error }
            throw Failure(.badInput, code, "\(path): it has more than \(limit.grouped) bytes")
        }
    }
}
