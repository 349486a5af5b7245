import MienDocument
import MienIdentity
import Testing

@testable import MienModels
@testable import MienServer

@Suite("Faults of pictures of documents")
struct DocumentFaultsTests {
    private static func faults(
        _ pictures: [CaptureMeasurements], as type: IdentityDocumentType, isRead: Bool = false
    ) -> [DocumentRecapture] {
        let sides = zip([DocumentPicture.front, .back], pictures).map {
            ($0, MadeReading.reading($1))
        }
        return DocumentRecapture.needed(for: sides, of: type, isRead: isRead)
    }

    private static let good = MadeReading.good
    private static let nothing = CaptureMeasurements(documents: 0)
    private static let two = CaptureMeasurements(documents: 2, width: 1000, brightness: 200)
    private static let dark = CaptureMeasurements(documents: 1, width: 1000, brightness: 20)

    @Test("a document that was read has no faults, however its pictures look")
    func read() {
        #expect(Self.faults([Self.dark, Self.nothing], as: .idCard, isRead: true).isEmpty)
    }

    @Test("several documents are refused even if one was read")
    func several() {
        #expect(
            Self.faults([Self.good, Self.two], as: .idCard, isRead: true)
                == [DocumentRecapture(.back, .poorImageQuality, hints: ["several_documents"])])
    }

    @Test("of cards, each picture with a fault is asked for; of licenses, only the back")
    func sides() {
        #expect(
            Self.faults([Self.nothing, Self.dark], as: .idCard)
                == [
                    DocumentRecapture(.front, .imageMissing, hints: ["no_document"]),
                    DocumentRecapture(.back, .poorImageQuality, hints: ["too_dark"]),
                ])
        #expect(
            Self.faults([Self.nothing, Self.dark], as: .driverLicense)
                == [DocumentRecapture(.back, .poorImageQuality, hints: ["too_dark"])])
    }

    /// Such a card stays unreadable, however good its pictures are.
    @Test(
        "a barcode that describes no card ends the search, whatever the pictures look like",
        arguments: IdentityDocumentType.allCases)
    func foreignBarcode(_ type: IdentityDocumentType) {
        let barcode = BarcodeReading(Array("PDF417 of another kind".utf8))
        for (first, second) in [
            (Self.good, Self.good), (Self.dark, Self.dark), (Self.nothing, Self.dark),
        ] {
            let sides: [(DocumentPicture, DocumentReading)] = [
                (.front, MadeReading.reading(first)),
                (.back, MadeReading.reading(second, barcode: barcode)),
            ]
            #expect(sides[1].1.recapture == .documentNotSupported)
            #expect(
                DocumentRecapture.needed(for: sides, of: type, isRead: false)
                    == [DocumentRecapture(.back, .documentNotSupported)])
        }
    }

    @Test("a good picture without anything to read is of a document that is not supported")
    func unsupported() {
        #expect(
            Self.faults([Self.good], as: .passport)
                == [DocumentRecapture(.front, .documentNotSupported)])
        #expect(
            Self.faults([Self.good, Self.good], as: .idCard)
                == [DocumentRecapture(.back, .documentNotSupported)])
    }
}
