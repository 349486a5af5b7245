package import Hummingbird
internal import MienAPI
internal import MienAccess
internal import MienCore
internal import MienIdentity
package import MienServerAccess
package import MienServerCore
package import MienServerMail
internal import MienStore

/// The routes of the admin API that try whether the server reaches a service: sources of identities,
/// and the webhooks of apps. An answer has a status at most: the body of an inner service is none of
/// an administrator's business.
package struct ConnectionTestRoutes {
    let identities: IdentityService
    let caller: WebhookCaller
    let records: AdminRecords
    let clock: ServerClock

    package init(
        identities: IdentityService, caller: WebhookCaller, records: AdminRecords,
        clock: ServerClock
    ) {
        (self.identities, self.caller, self.records, self.clock) = (
            identities, caller, records, clock
        )
    }

    private static let patience = Duration.seconds(10)

    package func add(to router: RouterGroup<MienRequestContext>) {
        router.get("verifications/sources") { _, _ in
            JSONBody.response(
                Page(
                    items: identities.sources.map {
                        IdentitySourceAnswer(name: $0.name, isSimulated: $0.isSimulated)
                    }))
        }
        router.post("verifications/sources/:source/test") { _, context in
            let name = try context.parameters.require("source")
            guard let source = identities.sources.first(where: { $0.name == name }) else {
                throw Problem(
                    .notFound,
                    "There is no such source. GET /v1/verifications/sources lists them.")
            }
            return JSONBody.response(await Self.test(source))
        }
        router.post("apps/:app/webhook/test") { _, context in
            let app = try await records.app(context)
            guard let url = app.settings.identity.webhook else {
                throw Problem(
                    .conflict, "The app has no webhook. Set settings.identity.webhook first.")
            }
            return JSONBody.response(await test(url, of: app.id))
        }
    }

    private func test(_ url: String, of app: AppID) async -> ConnectionTestAnswer {
        var generator = SystemRandomNumberGenerator()
        let body = JSONText.write(
            .object([
                "event": "test", "app": .string(app.text),
                "time": .number(Double(clock.now.milliseconds)),
            ]))
        let id = "dlv_" + Base64URL.encode(generator.bytes(16))
        switch await caller.notify(body, id: id, app: app, at: url, within: Self.patience) {
        case .answered(let status):
            return ConnectionTestAnswer(
                isWorking: (200..<300).contains(status), status: status,
                reason: (200..<300).contains(status)
                    ? nil : "a status from 200 to 299 is expected")
        case .notAllowed:
            return ConnectionTestAnswer(
                isWorking: false,
                reason: "the host is not in webhook.hosts, or its address is not public")
        case .failed:
            return ConnectionTestAnswer(
                isWorking: false, reason: "no connection, or no answer within 10 seconds")
        }
    }

    /// Asks about a person who does not exist.
    private static func test(_ source: any IdentityDataSource) async -> ConnectionTestAnswer {
        let input = PersonalDataInput(
            firstName: "Connection", lastName: "Test", address: "1 Example Street",
            city: "New York", state: "NY", postalCode: "10001", country: "US",
            dateOfBirth: "1970-01-01")
        var generator = SystemRandomNumberGenerator()
        guard let person = try? PersonalData(input) else {
            return ConnectionTestAnswer(isWorking: false, reason: "the test cannot be made")
        }
        do throws(IdentitySourceError) {
            _ = try await source.compare(
                SourceQuery(
                    attempt: .random(using: &generator), person: person, input: input))
            return ConnectionTestAnswer(isWorking: true)
        } catch .status(let status) {
            return ConnectionTestAnswer(
                isWorking: false, status: status,
                reason: IdentitySourceError.status(status).description)
        } catch {
            return ConnectionTestAnswer(isWorking: false, reason: error.description)
        }
    }
}
