/// The JSON form, specified in `docs/spec/calibration.md`:
/// `{"form": …, "measurement": {…}, "knots": [{…}, …]}`, in the second form also `normalization`
/// and, for some, `typicalDeviation`.
extension CalibrationTable: Codable {
    public static let form = "mien-calibration/1"

    /// The form of tables with a normalization other than ``ScoreNormalization/asNorm``. Programs
    /// that know only the first form must not read them.
    public static let formWithNormalization = "mien-calibration/2"

    private enum Key: String, CodingKey {
        case form, measurement, knots, normalization, typicalDeviation
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let isFirst = normalization == .asNorm
        try container.encode(isFirst ? Self.form : Self.formWithNormalization, forKey: .form)
        if !isFirst { try container.encode(normalization, forKey: .normalization) }
        try container.encodeIfPresent(typicalDeviation, forKey: .typicalDeviation)
        try container.encode(measurement, forKey: .measurement)
        try container.encode(knots, forKey: .knots)
    }

    /// - Throws: ``CalibrationError`` for an unknown form or a curve that does not fall, and
    ///   `DecodingError` for malformed JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let form = try container.decode(String.self, forKey: .form)
        let isFirst = form == Self.form
        guard isFirst || form == Self.formWithNormalization else {
            throw CalibrationError.form(form)
        }
        try self.init(
            knots: container.decode([Knot].self, forKey: .knots),
            measurement: container.decode(CalibrationMeasurement.self, forKey: .measurement),
            normalization: isFirst
                ? .asNorm : container.decode(ScoreNormalization.self, forKey: .normalization),
            typicalDeviation: isFirst
                ? nil : container.decodeIfPresent(Float.self, forKey: .typicalDeviation))
    }
}
