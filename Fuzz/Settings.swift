import MienAccess
import MienCore

/// Reads any text as the server's configuration file, as environment values, and as the settings of
/// an app.
///
/// Must hold: the result is an error, or a text for every setting. An app's settings without faults
/// are the same when written and parsed again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    do {
        let sources = try SettingSources(file: ("mien.yaml", text), environment: [:])
        precondition(
            ServerSetting.all.allSatisfy { sources.texts[$0.key] != nil }
                && sources.texts.count == ServerSetting.all.count)
    } catch let error as ConfigurationError { precondition(!error.description.isEmpty) } catch {
        preconditionFailure("unexpected error: \(error)")
    }
    if let settings = try? JSONText.parse(bytes).decoded(as: AppSettings.self),
        settings.faults.isEmpty
    {
        precondition(
            settings.redirectURIs.count <= 100 && (30...3600).contains(settings.tokenSeconds))
    }
    return 0
}
