import Foundation
import MienCore
import MienDocument
import MienFace
import MienLoad
import MienMedia
import MienModels
import MienTools

/// Measures complete verifications with a document on a server in its own process: both sides of a
/// drawn license around a demo photo, and another photo of the same person.
struct VerificationBench {
    let count: Int
    /// Users who verify themselves at the same time.
    let clients: Int
    /// The `mien` program.
    let program: URL
    let home: MienHome

    struct Result: Encodable {
        var count: Int
        var perMinute: Double
        /// Processor time of the server for each verification.
        var processorMilliseconds: Double
        var latency: LoadFigures.Latency
        /// The statuses of the documents, and how often each occurred.
        var statuses: [String: Int]
        /// MiB after the first tenth of the verifications, after half of them, and after all.
        var memory: Memory
        struct Memory: Encodable { var start, middle, end, maximum: Double }
    }

    /// Documents with different papers, directions, and light.
    private static let documents = 8

    func run(_ stage: () -> Void) async throws -> Result {
        stage()
        let forms = try (0..<Self.documents).map(form)
        let server = try LoadServer(
            program: program,
            environment: LoadServer.unlimited.merging([
                "MIEN_IDENTITY_SOURCES": "simulator", "MIEN_IDENTITY_CONSENT": "false",
                "MIEN_IDENTITY_DOCUMENTS": "driverLicense",
                "MIEN_IDENTITY_DOCUMENT_WAIT_SECONDS": "60",
                "MIEN_IDENTITY_REQUIRED": "GOVERNMENT_ID",
            ]) { $1 })
        defer { server.stop() }
        stage()
        return try await SetupClient.with(server) { setup in
            try await setup.call(
                "POST", "/v1/apps",
                #"{"id":"bank","name":"Bank","type":"public","first_party":true,"settings":{"identity":{"accepts_still_faces":true}}}"#,
                asAdmin: true)
            var users: [User] = []
            for index in 0..<clients { users.append(try await User("person-\(index)", setup)) }
            let load = Load(setup: setup, users: users, forms: forms)
            stage()
            let tenth = max(min(clients, count / 4), count / 10)
            try await load.verify(0..<tenth)
            let start = server.residentMebibytes.now, cpu = server.processorSeconds
            let began = ContinuousClock.now
            stage()
            try await load.verify(tenth..<(count / 2))
            let middle = server.residentMebibytes.now
            try await load.verify((count / 2)..<count)
            let minutes = (ContinuousClock.now - began) / .seconds(60)
            let (end, maximum) = server.residentMebibytes
            let measured = Double(count - tenth)
            return Result(
                count: count, perMinute: measured / minutes,
                processorMilliseconds: (server.processorSeconds - cpu) * 1000 / measured,
                latency: LoadFigures.Latency(await load.times), statuses: await load.statuses,
                memory: .init(start: start, middle: middle, end: end, maximum: maximum))
        }
    }

    /// A license in two photos of 1600×1200, and a selfie, as a form.
    private func form(_ number: Int) throws -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number))
        func date(_ year: Int, _ month: Int, _ day: Int) -> CalendarDate {
            // Every date here exists.
            CalendarDate(year: year, month: month, day: day)!
        }
        // The person of the simulator.
        let person = SpecimenPerson(
            familyName: "SMITH", givenNames: ["JOHN"], sex: .male, birth: date(1975, 2, 28),
            issue: date(2024, 5, 4), expiry: date(2034, 5, 3), number: "S530460752280",
            street: "222333 PEACHTREE PLACE", city: "ATLANTA", postalCode: "30318")
        let photo = try DemoPhotos.image("obama.jpg", in: home)
        let width = photo.width * 3 / 5
        let portrait = photo.reduced(
            by: 1, x: photo.width / 5, y: photo.height / 20, width: width, height: width * 9 / 7)
        let sides = [Specimen.Kind.license, .licenseBack].map { kind in
            let specimen = Specimen(kind, person, portrait: portrait, &random)
            return JPEGEncoder.encode(
                SpecimenScene(.good, specimen, &random).image, quality: 85)
        }
        let path = home.demoPhotos.appending(path: "obama2.jpg")
        let selfie = [UInt8](try Data(contentsOf: path))
        var body: [UInt8] = []
        for (name, content) in [
            ("country", Array("US".utf8)), ("documentType", Array("driverLicense".utf8)),
            ("image", sides[0]), ("backImage", sides[1]), ("faceImage", selfie),
        ] {
            body += Array(
                "--limit\r\ncontent-disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
            body += content + [0x0D, 0x0A]
        }
        return body + Array("--limit--\r\n".utf8)
    }

    private actor User {
        /// Seconds that a sign-in is used: verifying an identity needs one of the last five minutes.
        private static let seconds = 200

        nonisolated let id: String
        private let name: String
        private var access: String
        private var signedIn = ContinuousClock.now

        init(_ name: String, _ setup: SetupClient) async throws {
            self.name = name
            access = try await TokenLoad.signUp(name, setup, app: "bank")
            let state = try await setup.client.request("GET", "/v1/identity", bearer: access)
            guard let owner = state.text("owner") else {
                throw LoadError("no verification state: \(state.bodyText)")
            }
            id = owner
        }

        /// An access token of a recent sign-in.
        func access(_ setup: SetupClient) async throws -> String {
            if ContinuousClock.now - signedIn > .seconds(Self.seconds) {
                access = try await TokenLoad.signIn(name, setup, app: "bank")
                signedIn = .now
            }
            return access
        }
    }

    /// Users who verify themselves at the same time, each one document after the other. An
    /// administrator resets the user's state in between.
    private actor Load {
        private(set) var times: [Double] = []
        private(set) var statuses: [String: Int] = [:]
        private let setup: SetupClient
        private let users: [User]
        private let forms: [[UInt8]]
        private var next = 0

        init(setup: SetupClient, users: [User], forms: [[UInt8]]) {
            (self.setup, self.users, self.forms) = (setup, users, forms)
        }

        func verify(_ numbers: Range<Int>) async throws {
            next = numbers.lowerBound
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in users {
                    group.addTask {
                        while let number = await self.take(below: numbers.upperBound) {
                            try await self.verify(user, number)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        private func take(below end: Int) -> Int? {
            guard next < end else { return nil }
            next += 1
            return next - 1
        }

        private nonisolated func verify(_ user: User, _ number: Int) async throws {
            let access = try await user.access(setup)
            try await setup.call(
                "POST", "/v1/users/\(user.id)/verification/reset", "{}", asAdmin: true)
            let began = ContinuousClock.now
            let typed = try await setup.client.post(
                "/v1/identity/verify",
                json:
                    #"{"firstName":"JOHN","lastName":"SMITH","address":"222333 PEACHTREE PLACE","postalCode":"30318","country":"US","dateOfBirth":"1975-02-28"}"#,
                bearer: access)
            guard typed.status == 200 else {
                throw LoadError("personal data: \(typed.status) \(typed.bodyText)")
            }
            var answer = try await setup.client.request(
                "POST", "/v1/identity/document", type: "multipart/form-data; boundary=limit",
                body: forms[number % forms.count], bearer: access)
            // A server that judges in the background answers later.
            while answer.status == 200, answer.text("documentVerificationStatus") == "pending" {
                try? await Task.sleep(for: .milliseconds(50))
                answer = try await setup.client.request(
                    "GET", "/v1/identity", bearer: access)
            }
            guard answer.status == 200, let status = answer.text("documentVerificationStatus")
            else { throw LoadError("verification \(number): \(answer.status) \(answer.bodyText)") }
            await note(status, (ContinuousClock.now - began) / .milliseconds(1))
        }

        private func note(_ status: String, _ milliseconds: Double) {
            statuses[status, default: 0] += 1
            times.append(milliseconds)
        }
    }
}
