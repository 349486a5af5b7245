import Testing

@testable import MienDocument

@Suite struct CaptureVerdictTests {
    private let good = CaptureMeasurements(
        documents: 1, width: 900, sharpness: 0.7, brightness: 190, glare: 0)

    private func faults(_ change: (inout CaptureMeasurements) -> Void) -> [CaptureFault] {
        var measurements = good
        change(&measurements)
        return CaptureVerdict(measurements).faults
    }

    @Test func `each fault has its measurement`() {
        #expect(CaptureVerdict(good).isGood && CaptureVerdict(good).reason == nil)
        #expect(faults { $0.documents = 0 } == [.noDocument])
        #expect(faults { $0.documents = 2 } == [.severalDocuments])
        #expect(faults { $0.isCutOff = true } == [.cutOff])
        #expect(faults { $0.width = 479 } == [.tooSmall])
        #expect(faults { $0.brightness = 69 } == [.tooDark])
        #expect(faults { $0.sharpness = 0.35 } == [.blurred])
        #expect(faults { $0.glare = 0.007 } == [.glare])
        // A card without print has no edges to measure.
        #expect(faults { $0.sharpness = nil }.isEmpty)
    }

    @Test func `a number that is not one is a fault`() {
        let broken = CaptureMeasurements(
            documents: 1, width: .nan, sharpness: .nan, brightness: .nan, glare: .nan)
        #expect(CaptureVerdict(broken).faults == [.tooSmall, .tooDark, .blurred, .glare])
    }

    @Test func `faults are in the order in which to mention them, and name a reason`() {
        let worst = CaptureMeasurements(
            documents: 2, isCutOff: true, width: 1, sharpness: 0, brightness: 0, glare: 1)
        let verdict = CaptureVerdict(worst)
        #expect([.noDocument] + verdict.faults == CaptureFault.allCases)
        #expect(verdict.reason == .poorImageQuality)
        #expect(CaptureVerdict(CaptureMeasurements(documents: 0)).reason == .imageMissing)
    }

    @Test(arguments: CaptureFault.allCases)
    func `every fault asks for another picture`(fault: CaptureFault) {
        #expect(fault.reason == (fault == .noDocument ? .imageMissing : .poorImageQuality))
    }
}
