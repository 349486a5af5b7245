import MienAPI
import MienCore

/// Reads any text as the server's configuration file and as the settings of an app.
///
/// Must hold: the result is an error, or texts of known settings. An app's settings without faults
/// are the same when written and parsed again.
func fuzzSettings(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    do {
        let file = try SettingsFile(path: "mien.yaml", contents: text)
        precondition(file.texts.keys.allSatisfy { ServerSetting.byKey[$0] != nil })
    } catch let error as ConfigurationError { precondition(!error.description.isEmpty) } catch {
        preconditionFailure("unexpected error: \(error)")
    }
    if let settings = try? JSONText.parse(bytes).decoded(as: AppSettings.self),
        settings.faults.isEmpty
    {
        precondition(
            settings.redirectURIs.count <= 100 && (30...3600).contains(settings.tokenSeconds))
    }
}
