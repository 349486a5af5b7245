// A whole app: sign up with a code from an email, register a face, and sign in with it or with Face ID.
// Journeys decide on the server what they ask for; this app shows it. See docs/quick-start-ios.md.
import MienCapture
import MienClient
import MienCore
import MienDevice
import SwiftUI

@main struct ShopApp: App {
    var body: some Scene { WindowGroup { ShopView() } }
}

@MainActor enum Shop {
    /// Change both.
    static let options = MienOptions(serverPath: "https://login.example.org", applicationId: "shop")

    static func session(_ options: MienOptions) throws -> MienSession {
        try MienSession(
            options,
            biometrics: BiometricDevice(
                keys: SecureEnclaveKeyProvider(),
                authenticator: SystemAuthenticator(), model: UIDevice.current.model, system: "ios",
                deviceID: UIDevice.current.identifierForVendor?.uuidString))
    }
}

typealias Work = @MainActor (MienSession) async throws -> Void

struct ShopView: View {
    var options = Shop.options
    @State private var session: MienSession?
    @State private var user: UserInfo?
    @State private var run: (client: JourneyClient, journey: Journey)?
    @State private var isInJourney = false
    @State private var message = ""

    var body: some View {
        Form {
            if let user {
                Text("Hello, \(user.preferredUsername ?? user.sub)")
                Button("Register my face") { begin("add-face") }
                Button("Use Face ID from now on") {
                    act("Face ID is on") {
                        try await $0.enableBiometric(localizedReason: "Sign in to Shop")
                    }
                }
                Button("Sign out") { act("Signed out") { try await $0.signOut() } }
            } else {
                Button("Create an account") { begin("sign-up") }
                Button("Sign in") { begin("face-login") }
                Button("Sign in with Face ID") {
                    act("Signed in") { _ = try await $0.authenticateBiometric() }
                }
            }
            Text(message)
        }
        .task { act("") { try await $0.configure() } }
        .fullScreenCover(isPresented: $isInJourney) { [run] in  // as it is now
            if let run { JourneyView(journey: run.journey, client: run.client, onEnd: end) }
        }
    }

    private func begin(_ id: String) {
        act("") { session in
            let client = try JourneyClient(options)
            let user = await session.state == .signedIn ? session : nil
            (run, isInJourney) = ((client, try await client.start(id, session: user)), true)
        }
    }

    /// A journey has ended: its token is a sign-in, unless it began with one, which goes on.
    private func end(_ outcome: JourneyOutcome?) {
        (isInJourney, message) = (false, "That did not work.")
        guard case .success(let token) = outcome else { return }
        guard user == nil else { return act("Done") { _ in } }
        act("Signed in") { try await $0.signIn(journeyToken: token) }
    }

    /// Does something with the session, and says how it went.
    private func act(_ done: String, _ body: @escaping Work) {
        Task {
            do {
                let session = try self.session ?? Shop.session(options)
                self.session = session
                try await body(session)
                user = await session.state == .signedIn ? try await session.userInfo() : nil
                message = done
            } catch { message = "\(error)" }
        }
    }
}

/// A journey, step by step, with whatever the server asks for.
struct JourneyView: View {
    let journey: Journey
    let client: JourneyClient
    let onEnd: @MainActor (JourneyOutcome?) -> Void
    @State private var step: MienServiceResponse?
    @State private var entered: [String: String] = [:]
    @State private var message = ""

    var body: some View {
        VStack {
            if let token = step?.startToken {
                MienCaptureView(startToken: token.use { $0 }, client: client) {
                    switch $0 {
                    case .completed: answer(.clientInput)
                    case .canceled: answer(.cancel)
                    case .failed: answer(.fail)
                    }
                }
                .id(token.use { $0 })
            } else if let step {
                Form {
                    Text(step.data?["title"]?.stringValue ?? "")
                    Text(step.data?["text"]?.stringValue ?? "")
                    ForEach(options(of: step), id: \.label) { option in
                        ForEach(option.fieldNames, id: \.self) { name in
                            if name == "password" { SecureField(name, text: text(name)) }
                            if name != "password" { TextField(name, text: text(name)) }
                        }
                        Button(option.label) { answer(option.id, option.fieldNames) }
                    }
                }
            }
            Text(message)
        }
        .task { step = await journey.response }
    }

    private func options(of step: MienServiceResponse) -> [ClientResponseOption] {
        step.clientResponseOptions.values.sorted { $0.label < $1.label }
    }

    private func text(_ name: String) -> Binding<String> {
        Binding(get: { entered[name] ?? "" }, set: { entered[name] = $0 })
    }

    private func answer(_ option: ClientResponseOptionType, _ names: [String] = []) {
        let filled = entered.filter { names.contains($0.key) && !$0.value.isEmpty }
        let data = JSONValue.object(filled.mapValues { .string($0) })
        Task {
            do {
                let next = try await journey.respond(option, names.isEmpty ? nil : data)
                (step, entered) = (next, [:])
                message = next.errorCode?.rawValue ?? ""
                if next.hasEnded { onEnd(await journey.outcome()) }
            } catch { message = "\(error)" }
        }
    }
}
