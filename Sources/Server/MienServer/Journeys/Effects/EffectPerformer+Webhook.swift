internal import MienJourney
internal import MienStore

/// Calls of other systems.
extension CallWebhookEffect: PerformedEffect {
    func performed(by performer: EffectPerformer, _ context: EffectContext) async throws -> Reply {
        await performer.webhooks.call(
            call, run: context.run, turn: context.turn, app: context.app.id,
            isTrial: context.isTrial)
    }
}
