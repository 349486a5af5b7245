import Foundation
import MienAPI
import MienClient
import MienCore
import MienIdentity
import MienKeys

/// Identity verification over HTTP: an invented registry, a person who is verified, one whom a
/// reviewer decides, one who is denied, and evidence that is verified offline.
struct IdentityDemo {
    typealias Step = LoginDemo.Step

    static let environment = ["MIEN_IDENTITY_SOURCES": "registry"]
    private static let password = "not a common one either"

    /// Nobody of these exists.
    private static let people = """
        id,first_name,last_name,address,city,postal_code,country,date_of_birth
        1,Robin,Alderwood,12 Juniper Street,Marlow,30318,US,1985-03-14
        2,Tavia,Quill,7 Harbor Lane Unit 4,Marlow,30318,US,1991-11-02

        """

    /// The same person as the first of the registry, written in another way.
    private static let robin = VerifyIdentityInput(
        firstName: "ROBIN", lastName: "alderwood", address: "12 Juniper St.", postalCode: "30318",
        country: "US", dateOfBirth: "1985-03-14")
    /// Typing mistakes in the first name and in the last, no unit, and another city.
    private static let tavia = VerifyIdentityInput(
        firstName: "Tavja", lastName: "Quihl", address: "7 Harbor Ln", city: "Westbrook",
        postalCode: "30318", country: "US", dateOfBirth: "1991-11-02")
    /// The first person's data with another date of birth.
    private static var stranger: VerifyIdentityInput {
        var input = robin
        input.dateOfBirth = "1958-07-21"
        return input
    }

    func run(on server: LoopbackServer) async throws -> [Step] {
        var steps: [Step] = []
        func step(_ what: String, expected: String, _ body: () async throws -> String) async throws
        {
            let started = ContinuousClock.now
            let got = try await body()
            steps.append(
                Step(
                    what: what, expected: expected, got: got,
                    milliseconds: (ContinuousClock.now - started) / .milliseconds(1)))
        }
        try await step("import a registry of invented people", expected: "2 people") {
            "\(try await server.admin.importPeople(Array(Self.people.utf8)).imported) people"
        }
        var users: [UserID] = []
        for (name, what, input, expected) in [
            ("robin", "a person in another spelling", Self.robin, "ALLOW, verified"),
            ("tavia", "a person with several mistakes", Self.tavia, "CHALLENGE"),
            ("nobody", "that name with another date of birth", Self.stranger, "DENY"),
        ] {
            try await step(what, expected: expected) {
                let user = try await createUser(name, server)
                users.append(user)
                let verified = try await verify(input, name, server)
                let attempts = try await server.admin.verification(of: user).attempts
                return (attempts.last?.recommendation?.rawValue ?? "not judged")
                    + (verified.verified ? ", verified" : "")
            }
        }
        try await step("a reviewer accepts the person with mistakes", expected: "verified") {
            guard let open = try await server.admin.reviewCases().items.first,
                let user = UserID(open.user)
            else { return "no case" }
            _ = try await server.admin.decide(open.id, .accept)
            let method = try await server.admin.verification(of: user).verificationMethod
            return method == .known(.knowledgeOfPII) ? "verified" : "not verified"
        }
        let evidence = try await evidence(of: users, server)
        let keys = try await server.admin.evidenceKeys()["keys"]?.arrayValue ?? []
        let publicKeys = keys.compactMap { try? DevicePublicKey(jwk: $0) }
        func genuine(_ files: [String]) -> String {
            let count = files.count {
                EvidenceCommand.Verify.verified($0, by: publicKeys) != nil
            }
            return "\(count) genuine"
        }
        try await step("the signed evidence of all three, offline", expected: "3 genuine") {
            genuine(evidence)
        }
        try await step("the same files with one changed character", expected: "0 genuine") {
            genuine(evidence.map(Self.changed))
        }
        return steps
    }

    private func createUser(_ name: String, _ server: LoopbackServer) async throws -> UserID {
        let user = try await server.admin.createUser(
            UserRequest(username: name, password: Self.password))
        guard let id = UserID(user.id) else {
            throw MienError(.serverError, "The new user has no valid ID.")
        }
        return id
    }

    /// Verifies the data of a user who exists.
    private func verify(_ input: VerifyIdentityInput, _ name: String, _ server: LoopbackServer)
        async throws -> VerifiedIdentityAnswer
    {
        try await signedIn(name, app: "default_application", server).verifyIdentity(input: input)
    }

    /// Creates a user who signs in and consents.
    func client(_ name: String, app: String, _ server: LoopbackServer) async throws
        -> IdentityVerificationClient
    {
        _ = try await createUser(name, server)
        return try await signedIn(name, app: app, server)
    }

    /// Signs in with the password, and consents.
    private func signedIn(_ name: String, app: String, _ server: LoopbackServer) async throws
        -> IdentityVerificationClient
    {
        let options = MienOptions(
            serverPath: server.address, applicationId: app, retry: RetryPolicy(attempts: 1))
        let session = try MienSession(options, tokenStorage: TransientTokenStorage())
        try await session.configure()
        let journey = try await JourneyClient(options).start("password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": .string(name), "password": .string(Self.password)])
        }
        guard case .success(let token) = await journey.outcome() else {
            throw MienError(.serverError, "The user of the demo could not sign in.")
        }
        try await session.signIn(journeyToken: token)
        let client = IdentityVerificationClient(session)
        _ = try await client.provideConsent(to: client.consentContent())
        return client
    }

    private func evidence(of users: [UserID], _ server: LoopbackServer) async throws -> [String] {
        var files: [String] = []
        for user in users {
            for attempt in try await server.admin.verification(of: user).attempts {
                files.append(try await server.admin.evidence(of: attempt.id, of: user))
            }
        }
        return files
    }

    /// Replaces a character in the middle, which is in the signed content.
    private static func changed(_ file: String) -> String {
        var characters = Array(file)
        let middle = characters.count / 2
        characters[middle] = characters[middle] == "A" ? "B" : "A"
        return String(characters)
    }
}
