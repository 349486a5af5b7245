package import Hummingbird
internal import MienAPI

/// The routes of the admin API that describe the configuration and the work of the server.
package struct ConfigurationRoutes {
    let configuration: ServerConfiguration
    let guide: AppSettingsGuide
    let pages: PageDefaults
    let registry: PrometheusRegistry
    let gauges: ServerGauges

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("app-settings") { _, _ in
            JSONBody.response(try guide.answer(pages: pages.settings))
        }
        router.get("settings") { _, _ in
            JSONBody.response(
                Page(
                    items: configuration.inEffect.map { setting, value in
                        ServerSettingAnswer(
                            key: setting.key, variable: setting.variable,
                            value: setting.isSecret ? nil : value,
                            isSet: value != setting.standard, isSecret: setting.isSecret,
                            meaning: setting.meaning)
                    }))
        }
        router.get("metrics") { _, _ in
            gauges.read()
            return JSONBody.response(Page(items: registry.answer))
        }
    }
}
