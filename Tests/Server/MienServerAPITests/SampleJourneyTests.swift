import Foundation
import MienCore
import Testing

@testable import MienServer

@Suite struct SampleJourneyTests {
    /// The examples are linted, drawn and run by recorded tests: a first start shall publish
    /// nothing else.
    @Test func `a first start's journeys are the examples, word by word`() throws {
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
