import MienAPI
import MienClient
import MienCore

/// Faces.
///
/// Analyzing a picture takes longer than most servers live here. So the pictures are taken before
/// the kill that the registration may meet.
extension KillKinds {
    /// A run whose next response registers a face.
    struct FaceRun: Sendable {
        let user: UserID, name: String, state: String
        let preparedAt: ContinuousClock.Instant
    }

    /// Captures are usable for two minutes.
    private static let freshness = Duration.seconds(60)

    static let faceJourney = #"""
        {"id": "kill-face", "version": 1, "title": "Face", "start": "form", "steps": {
          "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
          "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
            "failure_behavior": "abort"}, "on": {"success": "ask"}},
          "ask": {"type": "record_consent", "config": {"text_version": "kills-1", "text": "Your face.", "failure_behavior": "abort"},
            "on": {"success": "selfie"}},
          "selfie": {"type": "selfie_acquisition", "config": {"failure_behavior": "abort"}, "on": {"success": "register"}},
          "register": {"type": "register_face", "config": {"consent": {"text_version": "kills-1"}, "failure_behavior": "abort"},
            "on": {"success": "done"}},
          "done": {"type": "complete_journey"}}}
        """#

    /// Runs a journey up to the response that registers a face, unless such a run is waiting.
    func prepareFace(_ client: KillClient, _ server: AttackedServer) async throws {
        if let run = faceRun.value, run.preparedAt.duration(to: .now) < Self.freshness { return }
        let (user, name) = try await newUser(client, server, "face")
        func state(_ answer: (status: Int, body: JSONValue)) throws -> String {
            guard let state = answer.body["state"]?.stringValue else {
                throw KillClient.Refused("kill-face", answer)
            }
            return state
        }
        let begun = try state(try await server.start("kill-face"))
        let asked = try await server.respond(
            begun, "password",
            ["username": .string(name), "password": .string(AttackedServer.password)])
        let selfie = try await server.respond(try state(asked), "client_input")
        guard let token = selfie.body["data"]?["start_token"]?.stringValue else {
            throw KillClient.Refused("kill-face", selfie)
        }
        let taken = try await RawConnection.open(server.address).request(
            "POST", "/v1/capture/frames",
            ["authorization": "Bearer \(token)", "content-type": "image/jpeg"],
            Installed.photo("obama"))
        guard taken.status == 200 else { throw KillClient.Refused("picture", taken.status) }
        faceRun.value = FaceRun(
            user: user, name: name, state: try state(selfie), preparedAt: .now)
    }

    var faces: KillKind {
        { client, server in
            guard let run = self.faceRun.value, run.preparedAt.duration(to: .now) < Self.freshness
            else { return }
            @Sendable func found(_ server: AttackedServer) async throws -> (
                faces: Int, entries: Int
            ) {
                (
                    try await server.admin.authenticators(of: run.user).count {
                        $0.type == .known(.face)
                    },
                    try await Self.events("face.registered", of: run.user, server)
                )
            }
            try await client.write("faces registered", run.name) { server in
                self.faceRun.value = nil
                let found = try await found(server)
                return switch found {
                case (0, 0): .notDone
                case (1, 1): .done
                default: .torn("\(run.name): \(found)")
                }
            } by: {
                self.faceRun.value = nil
                let answer = try await server.respond(run.state, "client_input")
                guard answer.body["token"] != nil else {
                    throw KillClient.Refused("face", answer)
                }
                return { server in
                    let found = try await found(server)
                    return found == (1, 1) ? nil : "\(found)"
                }
            }
        }
    }
}
