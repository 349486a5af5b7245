/// The answer of an effect that has nothing to report.
public struct Done: EffectAnswer {}

extension EffectReply where Answer == Done {
    public static var done: Self { .answer(Done()) }
}
