import Foundation
import MienCore
import MienJourney
import MienMedia
import MienTools

/// Reads journeys and recorded tests from files. Every error names the file, the position in it,
/// and what is allowed.
enum JourneyFile {
    static func definition(_ path: String) throws -> JourneyDefinition { try source(path).journey }

    /// Returns a journey and the unchanged bytes of its file.
    static func source(_ path: String) throws -> (journey: JourneyDefinition, bytes: [UInt8]) {
        let bytes = try read(path, limit: JourneyDefinition.maxBytes, code: "journey.malformed")
        do { return (try JourneyDefinition.parse(bytes), bytes) } catch {
            throw Failure(.badInput, "journey.malformed", "\(path): \(error)")
        }
    }

    /// Whether a file is a recorded test: only those have cases.
    static func isTest(_ path: String) throws -> Bool {
        let limit = max(RecordedTest.maxBytes, JourneyDefinition.maxBytes)
        let bytes = try read(path, limit: limit, code: "journey.malformed")
        let limits = JSONText.Limits(maxBytes: limit, maxDepth: 32)
        return (try? JSONText.parse(bytes, limits: limits))?["cases"] != nil
    }

    /// Returns a recorded test and its journey.
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
            // The limit on the size is one of journeys here, not of photos. Errors of the file
            // system are the same for all files.
            guard error.code.hasPrefix("image.") else { throw error }
            throw Failure(.badInput, code, "\(path): the file has more than \(limit.grouped) bytes")
        }
    }
}
