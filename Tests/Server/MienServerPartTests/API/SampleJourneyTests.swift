import Foundation
import MienCore
import Testing

@testable import MienServer

@Suite struct SampleJourneyTests {
    /// Examples are linted, drawn, and run by recorded tests, so a first start must publish exactly
    /// those.
    @Test func `the journeys of a first start are identical to the examples`() throws {
        let folder = APIDocument.repository.appending(path: "Examples/Journeys")
        let examples = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasSuffix(".test.json") }
        .map { try JSONText.parse([UInt8](Data(contentsOf: $0))) }
        let samples = try SampleJourneys.all.map { try JSONText.parse(Array($0.utf8)) }
        #expect(
            samples.count >= 5
                && Set(samples.compactMap { $0["id"]?.stringValue }).count == samples.count)
        for sample in samples {
            #expect(
                examples.contains(sample),
                "\(sample["id"]?.stringValue ?? "?") differs from its example")
        }
    }
}
