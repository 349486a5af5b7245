internal import MienCore

/// What a device tells of itself: `{"ios": {"uname": {"machine": …}}}`,
/// `{"android": {"Build": {"MODEL": …}}}`, or our own
/// `{"mien": {"model": …, "os": …, "device_id": …}}`.
struct DeviceInfo: Sendable {
    private static let most = 64

    /// One line, for people.
    let model: String
    let system: String
    /// Chosen by the client, 8 to 128 bytes, the same for as long as the app is installed.
    let id: String?
    /// What the device asks of its user before the key signs, if it tells: `user_verification` of
    /// our own form.
    let userVerification: DeviceKeyService.KeyUserVerification?

    /// - Returns: `nil` when it does not tell a model.
    init?(_ value: JSONValue?) {
        let places: [(system: String, model: JSONValue?)] = [
            (value?["mien"]?["os"]?.stringValue ?? "other", value?["mien"]?["model"]),
            ("ios", value?["ios"]?["uname"]?["machine"]),
            ("android", value?["android"]?["Build"]?["MODEL"]),
        ]
        guard let place = places.first(where: { $0.model?.stringValue != nil }),
            let model = place.model?.stringValue
        else { return nil }
        self.model = Self.short(model)
        system = Self.short(place.system)
        guard !self.model.isEmpty else { return nil }
        let id =
            (value?["mien"]?["device_id"] ?? value?["ios"]?["UIDevice"]?["identifierForVendor"])?
            .stringValue
        guard id.map({ (8...128).contains($0.utf8.count) }) ?? true else { return nil }
        self.id = id
        userVerification = value?["mien"]?["user_verification"]?.stringValue.flatMap {
            DeviceKeyService.KeyUserVerification(rawValue: $0)
        }
    }

    private static func short(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(most))).printable
    }
}
