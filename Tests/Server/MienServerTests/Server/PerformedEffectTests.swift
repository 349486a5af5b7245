import MienJourney
import Testing

@testable import MienServer

@Suite("Effects of journeys")
struct PerformedEffectTests {
    @Test("the server performs every effect of every step", arguments: StepType.allCases)
    func complete(type: StepType) {
        for effect in type.effects {
            #expect(effect is any PerformedEffect.Type, "\(effect) has no performer")
        }
    }
}
