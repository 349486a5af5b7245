import Foundation
import MienAPI

@testable import MienCapture

/// The decisions of the screens: no camera, no server.
@MainActor let decisionTests = [
    AppleTest(
        "every language has the same texts, and the screens have a text for each word of the server",
        shows: ["the pages' words and languages"]
    ) {
        let languages = CaptureTexts.languages.keys.sorted()
        expect(languages == ["ar", "en", "es"], "\(languages)")
        let english = CaptureTexts(preferred: ["en"])
        for language in languages {
            let texts = CaptureTexts(preferred: ["xx", "\(language)-419"])
            expect(texts.language == language && texts.names == english.names, language)
            expect(texts.isRightToLeft == (language == "ar"), language)
            for action in CaptureAction.allCases {
                expect(texts.has("action_\(action.rawValue)"), action.rawValue)
            }
            for word in CaptureGuidance.allCases {
                expect(
                    texts.has("guidance_\(word.rawValue)") || texts.has("action_\(word.rawValue)"),
                    word.rawValue)
            }
            for reason in CaptureReason.allCases {
                expect(texts.has("refusal_\(reason.rawValue)"), reason.rawValue)
            }
        }
        expect(CaptureTexts(preferred: ["fr-CA"]).language == "en")
        expect(
            CaptureTexts(preferred: [], own: ["button_cancel": "Stop"])["button_cancel"] == "Stop")
        expect(english["document_step", ["step": "1", "count": "3"]] == "Step 1 of 3")
        expect(
            english.reasons(["poorImageQuality"], hint: "glare") == [
                english["document_fault_glare"]
            ])
        expect(
            english.reasons(["docExpired"], hint: "") == [
                english["document_reason_document_expired"]
            ])
        // Another choice helps, so that no other document is asked for.
        expect(
            english.reasons(["docNotSupported"], hint: "other_country") == [
                english["document_fault_other_country"]
            ])
        expect(
            english.reasons(["docNotSupported"], hint: nil) == [
                english["document_reason_document_not_supported"]
            ])
        expect(english.has("document_other_choice"))
        expect(english.reasons([], hint: nil) == [english["document_reason_poor_image_quality"]])
    },
    AppleTest(
        "the guide takes a picture once the document is good and still, and mentions no fault of a single preview",
        shows: ["hints before a picture is sent"]
    ) {
        let square = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]]
        func good(_ shift: Double = 0) -> VerificationPreviewAnswer {
            .init(corners: square.map { [$0[0] + shift, $0[1]] }, faults: [], ready: true)
        }
        func bad(_ fault: String) -> VerificationPreviewAnswer {
            .init(corners: square, faults: [fault], ready: false)
        }
        var guide = DocumentGuide()
        expect(!guide.take(good(), at: .zero).shoots)
        expect(!guide.take(good(), at: .milliseconds(400)).shoots)
        expect(guide.take(good(), at: .milliseconds(800)).shoots)
        expect(!guide.take(good(), at: .milliseconds(900)).shoots, "only once")
        // Movement begins again.
        guide = DocumentGuide()
        for (k, at) in [0, 400, 800, 1200].enumerated() {
            expect(!guide.take(good(0.05 * Double(k)), at: .milliseconds(at)).shoots)
        }
        // The server may begin with another corner.
        guide = DocumentGuide()
        _ = guide.take(good(), at: .zero)
        _ = guide.take(
            .init(corners: Array(square[1...]) + [square[0]], faults: [], ready: true),
            at: .milliseconds(400))
        expect(guide.take(good(), at: .milliseconds(800)).shoots)
        guide = DocumentGuide()
        expect(guide.take(bad("blurred"), at: .zero).word == "blurred")
        expect(guide.take(bad("glare"), at: .zero).word == "blurred")
        expect(guide.take(bad("glare"), at: .zero).word == "glare")
        expect(guide.take(.init(corners: nil, faults: [], ready: false), at: .zero).word == "glare")
        expect(
            guide.take(.init(corners: nil, faults: [], ready: false), at: .zero).word
                == "no_document")
    },
    AppleTest("previews shrink while they take long, and grow again") {
        var pace = PreviewPace()
        for second in 1...8 { pace.took(.seconds(2), at: .seconds(2 * second)) }
        expect(pace.side == 960 && pace.pause == .seconds(1), "\(pace)")
        for second in 1...20 { pace.took(.milliseconds(100), at: .seconds(20 + 5 * second)) }
        expect(pace.side == 1280 && pace.quality == 0.75, "\(pace)")
    },
    AppleTest("the guide for tilting collects pictures from directions that differ") {
        // A card that turns about its vertical axis, seen by a camera with a focal length of 0.9.
        func corners(_ degrees: Double) -> [[Double]] {
            let angle = degrees * .pi / 180
            return [(-0.25, -0.16), (0.25, -0.16), (0.25, 0.16), (-0.25, 0.16)].map { x, y in
                let depth = 1 + x * sin(angle)
                return [0.5 + 0.9 * x * cos(angle) / depth, 0.5 + 0.9 * y * (4.0 / 3) / depth]
            }
        }
        var guide = TiltGuide(), pictures: [[UInt8]]?
        for _ in 0..<5 {
            let advice = guide.take(
                .init(corners: corners(0), faults: ["glare"], ready: false), [0], ratio: 4.0 / 3)
            expect(advice.word == "tilt" && advice.isGood && advice.pictures == nil)
        }
        expect(guide.progress < 0.2, "the same direction again is nothing new: \(guide.progress)")
        for (k, degrees) in [-9.0, -6, -3, 3, 6, 9].enumerated() {
            pictures =
                guide.take(
                    .init(corners: corners(degrees), faults: [], ready: true), [UInt8(k + 1)],
                    ratio: 4.0 / 3
                ).pictures
        }
        expect(
            (6...8).contains(pictures?.count ?? 0),
            "\(String(describing: pictures)), \(guide.progress)")
        expect(
            guide.take(.init(corners: nil, faults: [], ready: false), [9], ratio: 1).isGood == false
        )
    },
]
