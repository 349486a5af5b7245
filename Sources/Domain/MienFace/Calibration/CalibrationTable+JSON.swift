/// The JSON form, specified in `docs/spec/calibration.md`:
/// `{"form": …, "measurement": {…}, "knots": [{…}, …]}`.
extension CalibrationTable: Codable {
    public static let form = "mien-calibration/1"

    private enum Key: String, CodingKey { case form, measurement, knots }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Self.form, forKey: .form)
        try container.encode(measurement, forKey: .measurement)
        try container.encode(knots, forKey: .knots)
    }

    /// - Throws: ``CalibrationError`` for an unknown form or a curve that does not fall, and
    ///   `DecodingError` for malformed JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let form = try container.decode(String.self, forKey: .form)
        guard form == Self.form else { throw CalibrationError.form(form) }
        try self.init(
            knots: container.decode([Knot].self, forKey: .knots),
            measurement: container.decode(CalibrationMeasurement.self, forKey: .measurement))
    }
}
