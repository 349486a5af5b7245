import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienJourney

/// The world of a recorded test, built on a real server through its public and admin interfaces.
struct ReplayWorld {
    let server: RealServer
    let clock: ProcessClock
    let source: JSONValue
    let world: SimulatedWorld
    /// The server's IDs and secrets, by the recorded ones.
    var names: [String: String] = [:]

    /// The photos of the people in front of recorded cameras: one to register, one to sign in.
    private static let photos = ["ada": ["obama", "obama2"], "mallory": ["biden", "biden"]]

    init(_ test: RecordedTest, source: JSONValue, on server: RealServer, _ clock: ProcessClock)
        async throws
    {
        (self.server, self.clock, self.source) = (server, clock, source)
        world = test.world
        names["https://mien.example"] = server.process.address
        for user in source["world"]?["users"]?.arrayValue ?? [] { try await add(user) }
    }

    // MARK: Users

    private mutating func add(_ user: JSONValue) async throws {
        let unknown = Set(user.objectValue.map { Array($0.keys) } ?? []).subtracting([
            "id", "username", "email", "password", "faces", "device_keys", "recovery_codes",
            "recovery", "locked",
        ])
        try #require(unknown.isEmpty, "a replay cannot build \(unknown)")
        let name = try #require(user["username"]?.stringValue)
        let made = try await server.admin.createUser(
            UserRequest(
                username: name, email: user["email"]?.stringValue, password: password(of: name)))
        names[try #require(world.user(name)).id.text] = made.id
        if let person = user["faces"]?.arrayValue?.first?.stringValue {
            try await registerFace(of: name, Self.photos[person]?.first ?? person)
        }
        for key in user["device_keys"]?.arrayValue ?? [] {
            try await registerKey(try #require(key.stringValue), of: name)
        }
        for (number, code) in (user["recovery_codes"]?.arrayValue ?? []).enumerated() {
            let answer = try await server.send(
                .post, "/v1/me/recovery-codes", access: access(name), "{}")
            names[try #require(code.stringValue)] = try #require(
                answer.json["codes"]?.arrayValue?[number].stringValue, "\(answer.text)")
        }
        if user["recovery"] == true { try await waitForRecovery(of: name) }
        if user["locked"]?.arrayValue?.contains("password") == true {
            for _ in 1...5 { try await signIn(name, "a wrong password") }
        }
    }

    private func password(of name: String) -> String {
        source["world"]?["users"]?.arrayValue?.first { $0["username"]?.stringValue == name }?[
            "password"]?.stringValue ?? RealServer.password
    }

    @discardableResult
    private func signIn(_ name: String, _ password: String) async throws -> RealServer.Answer {
        let form = try await start("password-login")
        return try await respond(
            form["state"], "password",
            ["username": .string(name), "password": .string(password)])
    }

    /// Signs a user in and returns an access token.
    func access(_ name: String) async throws -> String {
        let token = try #require(
            try await signIn(name, password(of: name))["token"], "\(name) cannot sign in")
        return try await server.access(.success(token: Sensitive(token)))
    }

    private func registerFace(of name: String, _ photo: String) async throws {
        var answer = try await start("face-registration")
        answer = try await respond(
            answer["state"], "password",
            ["username": .string(name), "password": .string(password(of: name))])
        answer = try await respond(answer["state"], "client_input")
        try await capture(answer.json, photo)
        answer = try await respond(answer["state"], "client_input")
        try #require(answer["journey_step_id"] == "success", "\(answer.text)")
    }

    private func registerKey(_ id: String, of name: String) async throws {
        let key = try #require(world.keys[id])
        var answer = try await start("register-device", access: access(name))
        answer = try await respond(
            answer["state"], "client_input",
            [
                "publicKey": .string(key.publicKey), "publicKeyId": .string(id),
                "os": "Android",
            ])
        try #require(answer["journey_step_id"] == "success", "\(answer.text)")
    }

    /// Requests a recovery and waits until its hold is over.
    private func waitForRecovery(of name: String) async throws {
        var answer = try await start("recovery-email")
        let before = try server.outbox.raw().count
        answer = try await respond(
            answer["state"], "email_code", ["user_identifier": .string(name)])
        let code = try #require(try await mailedCode(after: before))
        answer = try await respond(answer["state"], "client_input", ["passcode": .string(code)])
        answer = try await respond(answer["state"], "client_input")
        try #require(
            answer.json["error_data"]?["reason"] == "recovery_held", "\(answer.text)")
        try clock.advance(.seconds(80 * 3600))
    }

    // MARK: Requests

    func start(_ journey: String, access: String? = nil, parameters: JSONValue = .null)
        async throws -> RealServer.Answer
    {
        var body: [String: JSONValue] = ["client_id": "default_application"]
        if parameters != .null { body["additional_params"] = parameters }
        return try await server.send(
            .post, "/v1/journeys/\(journey)/start", access: access,
            JSONText.write(.object(body)))
    }

    func respond(_ state: String?, _ option: String, _ data: JSONValue = .null) async throws
        -> RealServer.Answer
    {
        try await server.send(
            .post, "/v1/journeys/respond",
            JSONText.write([
                "state": .string(state ?? ""), "option": .string(option), "data": data,
            ]))
    }

    // MARK: Cameras, keys, and mail

    /// Shows a photo to the capture session of a prompt. Without one, the session ends as one that
    /// found no live person.
    func capture(_ prompt: JSONValue, _ photo: String?) async throws {
        let data = prompt["data"]
        let token = try #require(
            (data?["payload"]?["start_token"] ?? data?["start_token"])?.stringValue)
        let session = try CaptureSession(
            startToken: Sensitive(token), MienOptions(serverPath: server.process.address))
        if let text = try await session.start().consent {
            try await session.giveConsent(to: text)
        }
        guard let photo else {
            try await session.cancel()
            return
        }
        try await session.submitFrame(Installed.photo(photo))
    }

    /// Returns the photo that a recorded selfie shows; `nil` if no live person is in front of the
    /// camera.
    func photo(of selfie: String) throws -> String? {
        let selfie = try #require(world.selfies[selfie])
        return selfie.isLive ? try #require(Self.photos[selfie.person]?.last) : nil
    }

    /// Returns the photo that ends a session with a recorded recommendation.
    func photo(endingAs verification: String) throws -> String? {
        let verification = try #require(world.verifications[verification])
        switch verification.recommendation {
        case .allow: return try photo(of: try #require(verification.selfie))
        case .deny: return nil
        case .challenge:
            throw ReplayError("no session of a server ends with challenge yet")
        }
    }

    static func signature(_ key: SimulatedKey, _ challenge: String) throws -> String {
        let scalar = try #require(key.jwk["d"]?.stringValue.flatMap { Base64URL.decode($0) })
        let signer = try P256.Signing.PrivateKey(rawRepresentation: scalar)
        return Base64URL.encode(
            try signer.signature(for: Data(challenge.utf8)).derRepresentation)
    }

    /// Returns the code that was mailed after the first `count` mails; `nil` if none was.
    func mailedCode(after count: Int) async throws -> String? {
        for _ in 0..<50 {
            let mails = try server.outbox.mails()
            if let code = mails.dropFirst(count).compactMap({
                $0.text.firstMatch(of: /Your code is ([0-9]+)/)?.1
            }).last {
                return String(code)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }
}

struct ReplayError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
