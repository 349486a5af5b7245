/// Adaptive symmetric score normalization: how far a cosine lies above the cosines that each side
/// reaches with strangers.
///
/// ½·((s − μq)/σq + (s − μt)/σt), where μ and σ are the ``CohortStatistics`` of the two sides.
/// Symmetric in its sides. Unit: deviations. Different people lie around −4…3; two photos of one
/// person are mostly above 3. Source: Matějka and others, "Analysis of score normalization in
/// multilingual speaker recognition", Interspeech 2017 (S-norm, adaptive 1).
public enum ScoreNormalizer {
    public static func normalized(cosine: Float, _ a: CohortStatistics, _ b: CohortStatistics)
        -> Float
    {
        0.5 * ((cosine - a.mean) / a.deviation + (cosine - b.mean) / b.deviation)
    }
}
