import Foundation
import MienCore
import MienDocument
import MienMedia
import MienTesting
import Testing

@testable import MienModels

/// Documents that people reported, drawn again, in `../shared/data/cases`. They are not part of the
/// repository.
@Suite struct SharedCaseTests {
    private static let folder =
        (ProcessInfo.processInfo.environment["MIEN_SHARED"].map { URL(filePath: $0) }
        ?? Repository.root.deletingLastPathComponent().appending(path: "shared"))
        .appending(path: "data/cases")
    private static let exists = FileManager.default.fileExists(atPath: folder.path)
    private static let skip: Comment = "needs the cases: ../shared/data/cases, or MIEN_SHARED"

    /// The checks that are not made although the document has the field.
    @Test(
        .enabled(if: exists, skip),
        arguments: [
            ("03-name-without-surname/passport.jpg", [DocumentCheck.Name]()),
            ("03-name-without-surname/card.jpg", []), ("04-birth-day-zero/passport.jpg", [.birth]),
            ("05-aamva-no-expiry/aamva-expiry-00000000.jpg", [.expiry, .notExpired]),
            ("05-aamva-no-expiry/aamva-expiry-99999999.jpg", [.expiry, .notExpired]),
            ("05-aamva-no-expiry/aamva-expiry-indef.jpg", [.expiry, .notExpired]),
            ("05-aamva-no-expiry/aamva-expiry-mil.jpg", [.expiry, .notExpired]),
            ("07-barcode-other-format/bc-magstripe.jpg", [.expiry]),
            ("07-barcode-other-format/nc-old-header.jpg", []),
        ])
    func `reported documents are read`(path: String, unchecked: [DocumentCheck.Name]) throws {
        let image = try ImageFile.decode(
            Self.folder.appending(path: path).path, limits: ImageLimits(maxBytes: 20 << 20))
        var reader = try DocumentReader(Reading.network.get())
        let reading = try reader.readCodes(image)
        #expect(reading.recapture == nil && (reading.zone?.status == .valid || reading.card != nil))
        let document = IdentityDocument(zone: reading.zone?.zone, card: reading.card)
        let now = Instant(seconds: 1_795_910_400)  // 2026-11-29
        let checks = document.checks(now: now)
        #expect(!checks.contains { $0.verdict == .failed }, "\(checks)")
        #expect(
            Set(unchecked)
                == Set(
                    checks.filter { $0.verdict != .passed }.map(\.name).filter {
                        [.birth, .expiry, .notExpired].contains($0)
                    }))
        let fields = try #require(document.fields(asOf: CalendarDate(now)).first)
        #expect(!fields.givenNames.isEmpty)
        #expect((fields.familyName == nil) == path.hasPrefix("03"))
    }
}
