import MienCore
import MienFace
import MienLoad
import MienMedia
import MienModels

extension ServerBench {
    /// The load of clients: users with a registered face, one selfie, and a journey of information
    /// steps.
    struct Subject: Sendable {
        private static let start = #"{"client_id":"default_application"}"#
        private let selfie: [UInt8]
        private let users: [FaceUser]

        /// - Parameter users: Their number. Each has the same face, so searches for duplicates must be
        ///   off.
        init(_ setup: SetupClient, home: MienHome, users: Int) async throws {
            let reference = try FaceUser.photo("obama.jpg", in: home)
            // Another photo of the same person, in the size of a phone's frames.
            selfie = try FaceUser.photo("obama2.jpg", in: home)
            // There is one photo of each face, and the benchmark measures photos.
            try await setup.accept(.image)
            try await setup.call(
                "PUT", "/v1/journeys/bench-information/versions/1", Self.journey,
                asAdmin: true)
            try await setup.call(
                "POST", "/v1/journeys/bench-information/versions/1/publish", "{}",
                asAdmin: true)
            var all: [FaceUser] = []
            for number in 0..<users {
                all.append(try await FaceUser("load\(number)", photo: reference, setup))
            }
            self.users = all
        }

        /// Runs one whole login. One user cannot have many at the same time: each is a guess until it
        /// has succeeded, and too many guesses lock the face.
        func faceLogin(of number: Int, _ worker: LoadRun.Worker) async throws {
            let user = users[number]
            try await worker.measured("journey") { () async throws(LoadError) in
                var answer = try await worker.measured("start") { () async throws(LoadError) in
                    try await worker.client.post("/v1/journeys/face-login/start", json: Self.start)
                }
                answer = try await worker.measured("face") { () async throws(LoadError) in
                    try await Self.respond(
                        worker, answer, #""face","data":{"user_identifier":"\#(user.name)"}"#)
                }
                guard let token = answer.text("start_token") else {
                    throw LoadError("no start token: \(answer.bodyText)")
                }
                let frame = try await worker.measured("frame") { () async throws(LoadError) in
                    try await worker.client.request(
                        "POST", "/v1/capture/frames", type: "image/jpeg", body: selfie,
                        bearer: token)
                }
                guard frame.text("status") == "passed" else {
                    throw LoadError("the selfie was not accepted: \(frame.bodyText)")
                }
                answer = try await worker.measured("finish") { () async throws(LoadError) in
                    try await Self.respond(worker, answer, #""client_input""#)
                }
                guard answer.text("journey_step_id") == "success" else {
                    throw LoadError("the login failed: \(answer.bodyText)")
                }
            }
        }

        /// Runs a journey of three information steps: four requests.
        func information(_ worker: LoadRun.Worker) async throws {
            var answer = try await worker.measured("request") { () async throws(LoadError) in
                try await worker.client.post(
                    "/v1/journeys/bench-information/start", json: Self.start)
            }
            for _ in 0..<3 {
                answer = try await worker.measured("request") { () async throws(LoadError) in
                    try await Self.respond(worker, answer, #""client_input""#)
                }
            }
            guard answer.text("journey_step_id") == "success" else {
                throw LoadError("the journey did not end: \(answer.bodyText)")
            }
        }

        /// The requests of such journeys.
        static let journeyRequests = WrkLoad(
            .init(
                "POST", "/v1/journeys/bench-information/start", type: "application/json",
                body: start),
            then: .init(
                "POST", "/v1/journeys/respond", type: "application/json",
                before: #"{"state":""#, after: #"","option":"client_input"}"#),
            member: #""state":"run_"#, last: #""journey_step_id":"success""#)

        /// The same kind of request to the bare route.
        static let bareRequests = WrkLoad(
            .init("POST", "/v1/journeys/respond", type: "application/json", body: bare),
            member: #""state":"run_"#)

        private static func respond(
            _ worker: LoadRun.Worker, _ answer: LoadAnswer, _ rest: String
        ) async throws(LoadError) -> LoadAnswer {
            guard let state = answer.text("state", startingWith: "run_") else {
                throw LoadError("no state: \(answer.status) \(answer.bodyText)")
            }
            return try await worker.client.post(
                "/v1/journeys/respond", json: #"{"state":"\#(state)","option":\#(rest)}"#)
        }

        private static let bare =
            #"{"state":"run_-tqkwR9z97yrrC0UFKgNIA.nNaP7pu-akDP6YhKvPDcnpfOmMDncA0fAuWlS6HDDyc","option":"client_input"}"#

        private static let journey = """
            {"id": "bench-information", "version": 1, "title": "Information", "start": "one", "steps": {
                "one": {"type": "information", "config": {"title": "One", "text": "The first of three."}, "on": {"next": "two"}},
                "two": {"type": "information", "config": {"title": "Two", "text": "The second of three."}, "on": {"next": "three"}},
                "three": {"type": "information", "config": {"title": "Three", "text": "The last of three."}, "on": {"next": "end"}},
                "end": {"type": "complete_journey", "config": {"user_auth_state": "none"}}
            }}
            """
    }
}
