internal import Configuration
internal import Synchronization

/// The settings as text. A YAML file overrides the default values, and the environment overrides
/// both.
struct SettingSources {
    private(set) var texts: [String: String] = [:]
    /// The origin of each value that is not the default, for error messages.
    private(set) var origins: [String: String] = [:]

    /// - Parameter file: YAML with the keys as sections, or `nil`.
    /// - Throws: ``ConfigurationError`` if the file is malformed, see ``SettingsFile``.
    init(file: (path: String, contents: String)?, environment: [String: String]) throws {
        let variables = Dictionary(
            uniqueKeysWithValues: ServerSetting.all.map { ($0.variable, $0.key) }
        )
        // `prefixKeys` and the provider's own spelling make MIEN_TLS_KEY of tls.key, as
        // `ServerSetting.variable` does.
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(
                environmentVariables: environment.filter { variables[$0.key] != nil }
            ).prefixKeys(with: "mien")
        ]
        if let file {
            let texts = try SettingsFile(path: file.path, contents: file.contents).texts
            providers.append(
                InMemoryProvider(
                    name: file.path,
                    values: Dictionary(
                        uniqueKeysWithValues: texts.map {
                            (
                                AbsoluteConfigKey(ConfigKey($0)),
                                ConfigValue(.string($1), isSecret: false)
                            )
                        })))
        }
        let reporter = FirstProvider()
        let reader = ConfigReader(providers: providers, accessReporter: reporter)
        for setting in ServerSetting.all {
            texts[setting.key] = reader.string(
                forKey: ConfigKey(setting.key), isSecret: setting.isSecret,
                default: setting.standard)
            switch reporter.index {
            case 0: origins[setting.key] = setting.variable
            case 1: origins[setting.key] = file.map { "\($0.path): \(setting.key)" }
            default: break
            }
        }
    }
}

/// Remembers which provider had the last value that was read.
private final class FirstProvider: AccessReporter {
    private let last = Mutex<Int?>(nil)

    /// The provider's index, or `nil` for a default.
    var index: Int? { last.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let index = event.providerResults.firstIndex { (try? $0.result.get())?.value != nil }
        last.withLock { $0 = index }
    }
}
