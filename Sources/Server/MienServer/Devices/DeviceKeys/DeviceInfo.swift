internal import MienAPI
internal import MienCore

/// A device's description of itself: `{"ios": {"uname": {"machine": …}}}`,
/// `{"android": {"Build": {"MODEL": …}}}`, or Mien's own
/// `{"mien": {"model": …, "os": …, "device_id": …}}`.
struct DeviceInfo: Sendable {
    private static let maxCharacters = 64

    /// A single line for display.
    let model: String
    let system: String
    /// Chosen by the client: 8 to 128 bytes, constant while the app is installed.
    let id: String?
    /// How the device verifies its user before the key signs, if it says so: `user_verification` in
    /// Mien's own form.
    let userVerification: KeyUserVerification?

    /// - Returns: `nil` if it names no model, or if its device ID has the wrong length.
    init?(_ value: JSONValue?) {
        let sources: [(system: String, model: JSONValue?)] = [
            (value?["mien"]?["os"]?.stringValue ?? "other", value?["mien"]?["model"]),
            ("ios", value?["ios"]?["uname"]?["machine"]),
            ("android", value?["android"]?["Build"]?["MODEL"]),
        ]
        guard let source = sources.first(where: { $0.model?.stringValue != nil }),
            let model = source.model?.stringValue
        else { return nil }
        self.model = Self.short(model)
        system = Self.short(source.system)
        guard !self.model.isEmpty else { return nil }
        let id =
            (value?["mien"]?["device_id"] ?? value?["ios"]?["UIDevice"]?["identifierForVendor"])?
            .stringValue
        guard id.map({ (8...128).contains($0.utf8.count) }) ?? true else { return nil }
        self.id = id
        userVerification = value?["mien"]?["user_verification"]?.stringValue.flatMap {
            KeyUserVerification(rawValue: $0)
        }
    }

    private static func short(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxCharacters))).printable
    }
}
