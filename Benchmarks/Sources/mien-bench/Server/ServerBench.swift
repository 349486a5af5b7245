import Foundation
import MienCommandSupport
import MienCore
import MienImage
import MienLoad
import MienModels
import MienPixels

/// Measures the server under load. It runs in its own process on this machine, and the load uses
/// loopback HTTP: docs/facts.md §5, rows 5 and 6.
struct ServerBench {
    /// The duration of each measurement.
    let seconds: Double
    let workers: Int
    /// The number of journeys over which memory is measured.
    let journeys: Int
    /// The `mien` program.
    let program: URL
    let home: MienHome

    struct Result: Encodable {
        struct Memory: Encodable {
            let journeys: Int
            /// MiB after the first thousand journeys, after half of them, and after all.
            let start, middle, end: Double
            let most: Double
        }

        let workers: Int
        /// Whole face logins under `journey`; their requests under the other names.
        var faceLogin: LoadFigures
        var requestsPerSecond: Double
        var bareRequestsPerSecond: Double
        var ratio: Double { requestsPerSecond / bareRequestsPerSecond }
        var request: LoadFigures
        var bareRequest: LoadFigures
        var tokens: Tokens
        var memory: Memory

        /// Device keys and refresh tokens, with ``Tokens/workers`` concurrent clients.
        struct Tokens: Encodable {
            static let workers = 16
            /// Challenge and grant under `login`; the grant alone under `grant`.
            let logins: LoadFigures
            let refreshes: LoadFigures
            /// An empty route of the same server.
            let empty: LoadFigures
        }

        private enum Key: String, CodingKey {
            case workers, faceLogin, faceLoginsPerSecond, request, requestsPerSecond, bareRequest,
                bareRequestsPerSecond, ratio, tokens, memory
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(workers, forKey: .workers)
            try container.encode(faceLogin, forKey: .faceLogin)
            try container.encode(faceLogin.perSecond("journey"), forKey: .faceLoginsPerSecond)
            try container.encode(request, forKey: .request)
            try container.encode(requestsPerSecond, forKey: .requestsPerSecond)
            try container.encode(bareRequest, forKey: .bareRequest)
            try container.encode(bareRequestsPerSecond, forKey: .bareRequestsPerSecond)
            try container.encode(ratio, forKey: .ratio)
            try container.encode(tokens, forKey: .tokens)
            try container.encode(memory, forKey: .memory)
        }
    }

    func run(_ stage: (String) -> Void) throws -> Result {
        stage("Starting the servers")
        let server = try LoadServer(
            program: program,
            environment: LoadServer.unlimited.merging(["MIEN_PACKS": home.packs.path]) { $1 })
        defer { server.stop() }
        let bare = try LoadServer(program: MienProgramOptions.own, arguments: ["bare-route"])
        defer { bare.stop() }
        let subject = try Subject(
            port: server.port, adminPort: server.adminPort, adminCredential: server.adminCredential,
            home: home)

        stage("Face logins")
        _ = try LoadRun.run(port: server.port, workers: workers, until: .calls(2 * workers)) {
            try subject.faceLogin($0)
        }
        let faceLogin = try LoadRun.run(
            port: server.port, workers: workers, until: .seconds(seconds)
        ) { try subject.faceLogin($0) }

        stage("Requests")
        // Alternates, so that outside noise affects both.
        let rounds = 3
        var ours: [LoadFigures] = [], theirs: [LoadFigures] = []
        _ = try LoadRun.run(port: server.port, workers: workers, until: .calls(200)) {
            try subject.information($0)
        }
        _ = try LoadRun.run(port: bare.port, workers: workers, until: .calls(1000)) {
            try subject.bareRequest($0)
        }
        for _ in 0..<rounds {
            theirs.append(
                try LoadRun.run(
                    port: bare.port, workers: workers, until: .seconds(seconds / Double(rounds))
                ) { try subject.bareRequest($0) })
            ours.append(
                try LoadRun.run(
                    port: server.port, workers: workers, until: .seconds(seconds / Double(rounds))
                ) { try subject.information($0) })
        }
        // The median round.
        let request = ours.sorted { $0.perSecond("request") < $1.perSecond("request") }[rounds / 2]
        let bareRequest = theirs.sorted { $0.perSecond("request") < $1.perSecond("request") }[
            rounds / 2]

        stage("Devices and tokens")
        let devices = try TokenLoad(
            port: server.port, adminPort: server.adminPort, adminCredential: server.adminCredential,
            workers: Result.Tokens.workers)
        func tokens(_ body: @escaping @Sendable (LoadRun.Worker) throws -> Void) throws
            -> LoadFigures
        {
            _ = try LoadRun.run(
                port: server.port, workers: Result.Tokens.workers,
                until: .calls(10 * Result.Tokens.workers), body)
            return try LoadRun.run(
                port: server.port, workers: Result.Tokens.workers, until: .seconds(seconds), body)
        }
        let measured = Result.Tokens(
            logins: try tokens(devices.login), refreshes: try tokens(devices.refresh),
            empty: try tokens(devices.empty))

        stage("Memory over \(journeys.grouped) journeys")
        let part = (journeys - 1000) / 2
        _ = try LoadRun.run(port: server.port, workers: workers, until: .calls(1000)) {
            try subject.information($0)
        }
        let start = server.residentMebibytes.now
        _ = try LoadRun.run(port: server.port, workers: workers, until: .calls(part)) {
            try subject.information($0)
        }
        let middle = server.residentMebibytes.now
        _ = try LoadRun.run(port: server.port, workers: workers, until: .calls(part)) {
            try subject.information($0)
        }
        let (end, most) = server.residentMebibytes
        return Result(
            workers: workers, faceLogin: faceLogin, requestsPerSecond: request.perSecond("request"),
            bareRequestsPerSecond: bareRequest.perSecond("request"), request: request,
            bareRequest: bareRequest,
            tokens: measured,
            memory: .init(journeys: journeys, start: start, middle: middle, end: end, most: most))
    }
}

extension ServerBench {
    /// The load of a client: one user with a registered face, one selfie, and a journey of
    /// information steps.
    struct Subject: Sendable {
        private static let name = "load", password = "a password for the load"
        private static let start = #"{"client_id":"default_application"}"#
        private let selfie: [UInt8]

        init(port: Int, adminPort: Int, adminCredential: String, home: MienHome) throws {
            let reference = try Self.photo("obama.jpg", in: home)
            // Another photo of the same person, in the size of a phone's frames.
            selfie = try Self.photo("obama2.jpg", in: home)
            let connection = try LoadConnection(port: port),
                adminConnection = try LoadConnection(port: adminPort)
            func call(
                _ method: String, _ path: String, _ json: String, as credential: String? = nil
            ) throws -> LoadConnection.Answer {
                let answer = try (credential == nil ? connection : adminConnection).request(
                    method, path, type: "application/json", body: Array(json.utf8),
                    bearer: credential)
                guard (200..<300).contains(answer.status) else {
                    throw LoadError("\(method) \(path): \(answer.status) \(answer.bodyText)")
                }
                return answer
            }
            // There is one photo of each face, and the benchmark measures photos.
            _ = try call(
                "PUT", "/v1/apps/default_application",
                #"{"name":"Sample app","settings":{"liveness":{"mode":"image"}}}"#,
                as: adminCredential)
            _ = try call(
                "POST", "/v1/users",
                #"{"username":"\#(Self.name)","password":"\#(Self.password)"}"#, as: adminCredential
            )
            _ = try call(
                "PUT", "/v1/journeys/bench-information/versions/1", Self.journey,
                as: adminCredential)
            _ = try call(
                "POST", "/v1/journeys/bench-information/versions/1/publish", "{}",
                as: adminCredential)
            var answer = try call("POST", "/v1/journeys/face-registration/start", Self.start)
            func respond(_ option: String, _ data: String) throws {
                guard let state = answer.text("state", startingWith: "run_") else {
                    throw LoadError("registration ended early: \(answer.bodyText)")
                }
                answer = try call(
                    "POST", "/v1/journeys/respond",
                    #"{"state":"\#(state)","option":"\#(option)","data":\#(data)}"#)
            }
            try respond("password", #"{"username":"\#(Self.name)","password":"\#(Self.password)"}"#)
            try respond("client_input", "{}")
            guard let token = answer.text("start_token") else {
                throw LoadError("no start token: \(answer.bodyText)")
            }
            let frame = try connection.request(
                "POST", "/v1/capture/frames", type: "image/jpeg", body: reference, bearer: token)
            guard frame.text("status") == "passed" else {
                throw LoadError("the photo was not accepted: \(frame.bodyText)")
            }
            try respond("client_input", "{}")
            guard answer.text("journey_step_id") == "success" else {
                throw LoadError("the face was not registered: \(answer.bodyText)")
            }
        }

        /// Runs one whole login.
        func faceLogin(_ worker: LoadRun.Worker) throws {
            try worker.measured("journey") { () throws(LoadError) in
                var answer = try worker.measured("start") { () throws(LoadError) in
                    try worker.connection.post("/v1/journeys/face-login/start", json: Self.start)
                }
                answer = try worker.measured("face") { () throws(LoadError) in
                    try Self.respond(
                        worker, answer, #""face","data":{"user_identifier":"\#(Self.name)"}"#)
                }
                guard let token = answer.text("start_token") else {
                    throw LoadError("no start token: \(answer.bodyText)")
                }
                let frame = try worker.measured("frame") { () throws(LoadError) in
                    try worker.connection.request(
                        "POST", "/v1/capture/frames", type: "image/jpeg", body: selfie,
                        bearer: token)
                }
                guard frame.text("status") == "passed" else {
                    throw LoadError("the selfie was not accepted: \(frame.bodyText)")
                }
                answer = try worker.measured("finish") { () throws(LoadError) in
                    try Self.respond(worker, answer, #""client_input""#)
                }
                guard answer.text("journey_step_id") == "success" else {
                    throw LoadError("the login failed: \(answer.bodyText)")
                }
            }
        }

        /// Runs a journey of three information steps: four requests.
        func information(_ worker: LoadRun.Worker) throws {
            var answer = try worker.measured("request") { () throws(LoadError) in
                try worker.connection.post("/v1/journeys/bench-information/start", json: Self.start)
            }
            for _ in 0..<3 {
                answer = try worker.measured("request") { () throws(LoadError) in
                    try Self.respond(worker, answer, #""client_input""#)
                }
            }
            guard answer.text("journey_step_id") == "success" else {
                throw LoadError("the journey did not end: \(answer.bodyText)")
            }
        }

        /// Sends the same kind of request to the empty route.
        func bareRequest(_ worker: LoadRun.Worker) throws {
            let answer = try worker.measured("request") { () throws(LoadError) in
                try worker.connection.post("/v1/journeys/respond", json: Self.bare)
            }
            guard answer.status == 200, answer.text("state", startingWith: "run_") != nil else {
                throw LoadError("the bare route failed: \(answer.status) \(answer.bodyText)")
            }
        }

        private static func respond(
            _ worker: LoadRun.Worker, _ answer: LoadConnection.Answer, _ rest: String
        ) throws(LoadError) -> LoadConnection.Answer {
            guard let state = answer.text("state", startingWith: "run_") else {
                throw LoadError("no state: \(answer.status) \(answer.bodyText)")
            }
            return try worker.connection.post(
                "/v1/journeys/respond", json: #"{"state":"\#(state)","option":\#(rest)}"#)
        }

        /// Scales the photo to the largest size that fits into 640×480.
        private static func photo(_ name: String, in home: MienHome) throws -> [UInt8] {
            JPEGEncoder.encode(
                PipelineBench.fitted(try DemoPhotos.image(name, in: home)), quality: 90)
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
